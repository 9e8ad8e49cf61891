#!/bin/sh
# What the container runs: any `lpm` command, `start` when none is named; `healthy` tells whether
# the node answers.
set -eu

if [ "${1:-}" = healthy ]; then
  exec python -I -c '
import http.client, os
asked = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("LPM_PORT", "3000")), timeout=4)
asked.request("GET", "/healthz")
raise SystemExit(asked.getresponse().status != 200)'
fi

if [ ! -w "$LPM_HOME" ]; then
  echo "$LPM_HOME cannot be written by user $(id -u). Give the volume or folder to that user." >&2
  exit 1
fi
exec lpm "${@:-start}"
