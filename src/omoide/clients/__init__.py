"""Clients of model SDKs that remember: `wrap` gives one context before each call, and logs the
exchange after it.
"""

from omoide.clients.wrapping import wrap

__all__ = ["wrap"]
