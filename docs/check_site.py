"""Check the built site: ``python docs/check_site.py SITE [--axe axe.min.js]``.

Every internal link must lead to an existing page and heading. Each of the ten tasks must be answered by a page within
two links of the start page, counting only links in the text. With `--axe`, pages are opened in Chromium, light in a
wide window and dark in a narrow one, and must pass axe-core's accessibility check. The exit status is 1 if something is
wrong.
"""

import argparse
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

START = "index.html"
CLICKS = 2
SEEN_IN_BROWSER = ("index", "getting_started", "concepts", "guide/scripts", "howto/not_faster", "reference")
CHROMIUM = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync")


class Page(HTMLParser):
    """The anchors of a page, all its links, and those of its text."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.own = set(), [], []
        self._article = 0
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(filter(None, (found.get("id"), found.get("name"))))
        self._article += tag == "article"
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
            if self._article and "headerlink" not in (found.get("class") or ""):
                self.own.append(found["href"])

    def handle_endtag(self, tag):
        self._article -= tag == "article"


def target(site, name, link):
    """Return the page and anchor that a link of page `name` leads to; None for external links."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = (site / name).parent / unquote(parts.path) if parts.path else site / name
    path = path.resolve() / "index.html" if path.is_dir() else path.resolve()
    return path.relative_to(site).as_posix(), unquote(parts.fragment)


def broken_links(site, pages):
    for name, page in pages.items():
        for link in page.links:
            found = target(site, name, link)
            if found is None:
                continue
            to, anchor = found
            if not (site / to).exists():
                yield f"{name}: {link} leads nowhere"
            elif anchor and to in pages and anchor not in pages[to].anchors:
                yield f"{name}: {link}: {to} has no heading {anchor!r}"


def reached(site, pages, clicks):
    """Return the pages within this number of links of the start page."""
    found = {START}
    for _ in range(clicks):
        links = [(name, link) for name in found if name in pages for link in pages[name].own]
        found |= {goal[0] for goal in (target(site, *pair) for pair in links) if goal}
    return found


def lost_tasks(site, pages):
    answers = {goal[0] for goal in (target(site, "tasks.html", link) for link in pages["tasks.html"].own) if goal}
    found = reached(site, {name: page for name, page in pages.items() if name != "tasks.html"}, CLICKS)
    answers.discard(START)
    if len(answers) < 10:
        yield f"tasks.html: {len(answers)} answers for ten tasks"
    yield from (f"tasks.html: {name} is more than {CLICKS} links from the start page" for name in answers - found)


def inaccessible(site, axe):
    """Return axe-core's findings on the most important pages."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in CHROMIUM:
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(300)
    try:
        for name in SEEN_IN_BROWSER:
            for theme, width in (("light", 1400), ("dark", 400)):
                yield from _violations(driver, site / f"{name}.html", theme, width, axe)
    finally:
        driver.quit()


def _violations(driver, path, theme, width, axe):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 800})
    driver.get(path.as_uri())
    driver.execute_script("document.body.dataset.theme = arguments[0]", theme)
    driver.execute_script(axe.read_text("utf-8"))
    found = driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    for rule in found["violations"]:
        places = "; ".join(node["html"][:100] for node in rule["nodes"][:3])
        yield f"{path.name} ({theme}, {width} px): {rule['id']}: {rule['help']}: {places}"
    if driver.execute_script("return document.documentElement.scrollWidth > window.innerWidth"):
        yield f"{path.name} ({theme}, {width} px): wider than the window"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--axe", type=Path, help="the file axe.min.js of the npm package axe-core")
    options = parser.parse_args()
    site = options.site.resolve()
    names = [path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {name: Page(site / name) for name in names}
    problems = [*broken_links(site, pages), *lost_tasks(site, pages)]
    if options.axe:
        problems += inaccessible(site, options.axe)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
