// Bundles the third-party scripts of the console into static/vendor, with a manifest of what is in them.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const OUT = 'static/vendor';
const MOST = 200 * 1024;

// The editor's style sheets must not be <style> elements: the pages' policy forbids them. style-mod can adopt sheets, but
// does so in shadow roots alone; here it does everywhere.
const adoptStyles = {
  name: 'adopt-styles',
  setup(build) {
    build.onLoad({ filter: /style-mod[\\/]src[\\/]style-mod\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const condition = '!root.head && root.adoptedStyleSheets';
      if (source.split(condition).length !== 2) throw new Error('style-mod has changed: look at how it mounts style sheets');
      return { contents: source.replace(condition, 'root.adoptedStyleSheets'), loader: 'js' };
    });
  },
};

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const result = await esbuild.build({
  entryPoints: ['assets/editor.js'], outdir: OUT, bundle: true, format: 'esm', minify: true, target: ['es2022'], metafile: true, legalComments: 'none', plugins: [adoptStyles], logLevel: 'warning',
});

const names = new Set(Object.keys(result.metafile.inputs).map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
const packages = [];
const licences = [];
for (const name of [...names].sort()) {
  const { version, license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8'));
  packages.push({ name, version, licence: license });
  licences.push(`${name} ${version}\n${'-'.repeat(60)}\n${await readFile(`node_modules/${name}/LICENSE`, 'utf8')}`);
}
const bundle = await readFile(`${OUT}/editor.js`);
const compressed = gzipSync(bundle, { level: 9 }).length;
const files = [{ file: 'editor.js', sha256: createHash('sha256').update(bundle).digest('hex'), bytes: bundle.length, gzip: compressed }];
await writeFile(`${OUT}/manifest.json`, `${JSON.stringify({ files, packages }, null, 2)}\n`);
await writeFile(`${OUT}/LICENSES.txt`, licences.join('\n\n'));
console.log(`${OUT}/editor.js: ${bundle.length} bytes, ${compressed} compressed, ${packages.length} packages`);
if (compressed > MOST) throw new Error(`more than ${MOST} bytes compressed`);
