"""An Apache of Debian's on a port of its own, which the steps with its modules share."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

import requests

from context import PATIENCE, quiet_port, stop

MODULES = "/usr/lib/apache2/modules"


def configuration(folder, port, modules):
    runs_as = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
    loads = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in (
        "mpm_event", "authn_core", "authz_core", "authz_user", "dir", *modules))
    return f"""
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
LogLevel warn
{runs_as}
{loads}
StartServers 1
ThreadsPerChild 4
MaxRequestWorkers 4
ServerLimit 1
DocumentRoot {folder}/pages
DirectoryIndex index.html
ForceType text/html
"""


class Apache:
    """Apache with some modules, and with a page in each of its places."""

    def __init__(self, modules, places, rules):
        """`places` has the text of each place; `rules` gives the part of the configuration that is of the modules, for a folder and a
        port."""
        self.folder = tempfile.mkdtemp(prefix="countersign-apache-")
        for place, text in places.items():
            os.makedirs(os.path.join(self.folder, "pages", place))
            with open(os.path.join(self.folder, "pages", place, "index.html"), "w") as file:
                file.write(text)
        # Another program may take a free port before Apache does.
        for _ in range(5):
            if self._listens(modules, rules):
                return
        raise AssertionError(f"apache2 did not start: {self.process.stderr.read().decode()} {self.log}")

    def _listens(self, modules, rules):
        self.port = quiet_port()
        path = os.path.join(self.folder, "apache2.conf")
        with open(path, "w") as file:
            file.write(configuration(self.folder, self.port, modules) + rules(self.folder, self.port))
        # Its workers are another user, whom this one's umask may shut out.
        for folder, _, names in os.walk(self.folder):
            os.chmod(folder, 0o755)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o644)
        self.process = subprocess.Popen(
            [shutil.which("apache2") or "/usr/sbin/apache2", "-f", path, "-D", "FOREGROUND"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(PATIENCE * 10):
            if self.process.poll() is not None:
                return False
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.1)
        stop(self.process)
        return False

    @property
    def log(self):
        path = os.path.join(self.folder, "error.log")
        return open(path).read()[-3000:] if os.path.exists(path) else ""

    def url(self, place):
        return f"http://127.0.0.1:{self.port}/{place}"

    def get(self, place, token=None, **options):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return requests.get(self.url(place), headers=headers, timeout=PATIENCE, **options)

    def close(self):
        stop(self.process)
        shutil.rmtree(self.folder)
