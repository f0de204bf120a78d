"""A proxy before a service with OpenAI's interface: chat completions get context from memory, and
are logged in it; every other request is passed on.
"""

from omoide.proxy.server import Proxy

__all__ = ["Proxy"]
