#!/bin/sh
# Installs the pinned real backends into this folder and prints the version that each of them reports.
# A second run with everything in place only prints.
set -eu
cd "$(dirname "$0")"

is_installed() {
  node -e '
    const wanted = require("./package.json").dependencies;
    for (const [name, version] of Object.entries(wanted))
      if (require(`./node_modules/${name}/package.json`).version !== version) process.exit(1);
  ' 2>/dev/null
}

is_installed || npm ci --no-audit --no-fund

# npm may skip or only announce install scripts; without its own, claude is a stub that explains this.
[ "$(wc -c < node_modules/@anthropic-ai/claude-code/bin/claude.exe)" -gt 1000000 ] ||
  node node_modules/@anthropic-ai/claude-code/install.cjs

# Nothing of the caller's environment or home reaches the backends. copilot's unpacked files are kept for the tests.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p node_modules/.cache/copilot "$home/.cache"
ln -s "$PWD/node_modules/.cache/copilot" "$home/.cache/copilot"
for backend in claude codex copilot; do
  printf '%s: ' "$backend"
  env -i HOME="$home" PATH="$PWD/node_modules/.bin:$(dirname "$(command -v node)"):/usr/bin:/bin" LANG=C.UTF-8 \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
    COPILOT_AUTO_UPDATE=false COPILOT_OFFLINE=true \
    "$backend" --version </dev/null
done

sh acp-client/install.sh
