"""Addresses of the development harness (contract §8.5)."""

from django.urls import path

from apps.channels.dev import views

urlpatterns = [path("dev/simulate-message", views.simulate_message, name="dev-simulate-message")]
