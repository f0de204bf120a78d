"""Checks a built documentation site: ``python scripts/check_site.py build/site``.

Every link inside the site must lead to a page, and to an anchor where it names one; no page may
load an asset from elsewhere. Links to other sites are not followed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = frozenset({"script", "img", "iframe", "source", "audio", "video", "embed"})
LOADED_LINKS = frozenset({"stylesheet", "icon", "preload", "preconnect", "dns-prefetch"})
CSS_URL = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


class Page(HTMLParser):
    """What a page links to, loads, and names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and "src" in found:
            self.assets.append(found["src"])
        if tag == "link" and LOADED_LINKS & set(found.get("rel", "").split()):
            self.assets.append(found.get("href", ""))


def is_elsewhere(address: str) -> bool:
    """Whether an address is not in this site."""
    return bool(urlsplit(address).netloc or urlsplit(address).scheme)


def dead_links(site: Path, path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """The links of a page that lead nowhere in the site."""
    for link in pages[path].links:
        if is_elsewhere(link):
            continue
        parts = urlsplit(link)
        place = unquote(parts.path)
        aim = (site if place.startswith("/") else path.parent) / place.lstrip("/")
        aim = (aim if place else path).resolve()
        aim = aim / "index.html" if aim.is_dir() else aim
        if not aim.is_file():
            yield f"{path.relative_to(site)}: {link} leads nowhere"
        elif parts.fragment and aim in pages and unquote(parts.fragment) not in pages[aim].anchors:
            yield f"{path.relative_to(site)}: {link} names no heading"


def foreign_assets(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """What pages and style sheets load from other sites."""
    for path, page in pages.items():
        yield from (f"{path.relative_to(site)}: {at}" for at in page.assets if is_elsewhere(at))
    for path in site.rglob("*.css"):
        for at in CSS_URL.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: {at}"


def faults(site: Path) -> list[str]:
    """Everything that is wrong with a site."""
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site} has no pages"]
    dead = (fault for path in pages for fault in dead_links(site, path, pages))
    return [*dead, *(f"{at} is loaded from elsewhere" for at in foreign_assets(site, pages))]


def main(arguments: list[str]) -> int:
    """Print the faults of the site; 1 where there are any."""
    found = faults(Path(arguments[0]))
    print("\n".join(found) if found else "the site is sound")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
