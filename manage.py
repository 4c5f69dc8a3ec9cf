#!/usr/bin/env python
"""Django's command line."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
    from django.conf import settings
    from django.core.management import execute_from_command_line

    # Read before Django looks for its own --settings: of `tenant create SLUG --settings JSON` it would take the
    # JSON for the name of a module.
    _ = settings.INSTALLED_APPS
    execute_from_command_line(sys.argv)
