"""A proxy before a service with the interface of OpenAI or Anthropic: requests to models get
context from memory, and are logged in it; every other request is passed on.
"""

from omoide.proxy.server import Proxy

__all__ = ["Proxy"]
