#!/usr/bin/env bash
# dist.sh VERSION: builds the stripped binary and packs it with the table scripts and the documents.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
target=${CARGO_TARGET_DIR:-target}
host=$(rustc -vV | sed -n 's/^host: //p')
name=xxl-job-admin-$version-$host

REQUIRE_ASSETS=1 cargo build --locked --profile dist --bin xxl-job-admin
out=$target/dist/$name
rm -rf "$out"
mkdir -p "$out"
cp -r "$target/dist/xxl-job-admin" sql docs README.md README.zh-CN.md CHANGELOG.md LICENSE "$out"
cp static/vendor/LICENSES.txt "$out/LICENSES-scripts.txt"
# Same content, same archive: sorted names, the date of the commit, no owner.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
    -C "$target/dist" -cf - "$name" | gzip -n >"$target/dist/$name.tar.gz"
rm -rf "$out"
(cd "$target/dist" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
