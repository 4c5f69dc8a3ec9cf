"""Addresses of the web chat (contract §8.4)."""

from django.urls import path

from apps.channels.web import views

urlpatterns = [
    path("web/<str:slug>/test", views.page, name="web-page"),
    path("web/<str:slug>/messages", views.messages, name="web-messages"),
    path("web/<str:slug>/messages/stream", views.stream, name="web-stream"),
    path("web/<str:slug>/messages/cancel", views.cancel, name="web-cancel"),
]
