"""Whose a file is."""

import os
import sys


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user of this process.

    Windows has no numbers of users; there it is true of every file, and a user's folders are private as they are made.
    """
    return sys.platform == "win32" or status.st_uid == os.getuid()
