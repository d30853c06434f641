"""The systems that do the jobs. Each opens on a workspace and gives what it declares and a way to call it.

`OPENERS` maps a system's name to its opener; its scripts have the same name in `economy.scripts`.
"""

from economy.systems.commander import commander
from economy.systems.hilt import hilt
from economy.systems.official import official
from economy.systems.opencode import opencode
from economy.systems.opened import Opened, Opener
from economy.systems.pi import pi

OPENERS: dict[str, Opener] = {
    "hilt": hilt,
    "official": official,
    "commander": commander,
    "opencode": opencode,
    "pi": pi,
}

__all__ = ["OPENERS", "Opened", "Opener"]
