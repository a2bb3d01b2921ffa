#!/bin/sh
# Installs the pinned client of this folder, and a Node that is new enough for it, and prints their versions.
# A second run with everything in place only prints.
set -eu
cd "$(dirname "$0")"

is_installed() {
  node -e '
    const { dependencies, optionalDependencies } = require("./package.json");
    const wanted = { ...dependencies, [`node-linux-${process.arch}`]: optionalDependencies[`node-linux-${process.arch}`] };
    for (const [name, version] of Object.entries(wanted))
      if (require(`./node_modules/${name}/package.json`).version !== version) process.exit(1);
  ' 2>/dev/null
}

if ! is_installed; then
  # Not `npm ci`: it wants packages in the lock file that the registry does not have (of @openclaw/fs-safe).
  # None of the install scripts is needed, and the Node that runs npm, which may be too old for acpx, does not run it.
  npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
  rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share
fi

# Nothing of the caller's environment or home reaches the client.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
bin=$(echo "$PWD"/node_modules/node-linux-*/bin)
printf 'acpx: '
env -i HOME="$home" PATH="$bin:/usr/bin:/bin" LANG=C.UTF-8 node node_modules/acpx/dist/cli.js --version </dev/null
printf 'its Node: '
env -i HOME="$home" PATH="$bin:/usr/bin:/bin" node --version
