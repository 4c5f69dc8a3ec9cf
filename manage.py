#!/usr/bin/env python
"""Django's command line."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
    from django.core.management import base, execute_from_command_line

    # Django reads --settings anywhere on the line as the name of a settings module. Root has one, and here the
    # word belongs to ``tenant create``.
    for module in (sys.modules["django.core.management"], base):
        vars(module)["handle_default_options"] = lambda _options: None

    execute_from_command_line(sys.argv)
