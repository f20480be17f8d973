import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { generateContainerFile } from '../../../../domain/deploys/container-file/generate-container-file.ts';

const USUAL = { build: 'next build', start: 'next start' };

/** A Next.js app with these settings and scripts. */
function nextjs(
  config: string,
  scripts: object = USUAL,
  devDependencies: object = {},
  name = 'next.config.mjs',
  dependencies: object = { next: '^15.1.0', serve: '14' },
) {
  const texts = {
    'package.json': JSON.stringify({ scripts, dependencies, devDependencies }),
    [name]: config,
  };
  const source = { files: ['package-lock.json', ...Object.keys(texts)], texts };
  const app = describeApp(source, { framework: 'nextjs', port: null, healthEndpoint: '/api/health' });
  return {
    ...app,
    text: generateContainerFile(app, { secretsEnabled: false, cacheMounts: false }).files[0]?.text ?? '',
  };
}

it('the server is started from the folder that the settings name', () => {
  const { text, frameworkVersion } = nextjs("export default { distDir: 'built' }");
  assert.equal(frameworkVersion, '^15.1.0');
  assert.match(text, /built\/standalone\/server\.js/);
  assert.doesNotMatch(text, /\.next\//);
});

it('files that are exported are served by the web server, from the folder that the settings name', () => {
  const exported = nextjs("module.exports = { output: 'export', basePath: '/docs' }");
  assert.deepEqual([exported.start, exported.site?.folders.value], [null, ['out']]);
  assert.equal(exported.site?.basePath, 'docs');
  assert.match(exported.text, /FROM nginx/);
  const named = nextjs("module.exports = { output: 'export', distDir: '_static' }");
  assert.equal(named.site?.folders.value[0], '_static');
  assert.deepEqual(nextjs('', { build: 'next build && next export' }).site?.folders.value, ['out']);
  const older = { build: 'next build && npm run export', export: 'next export -o dist' };
  assert.deepEqual(nextjs('', older).site?.folders.value, ['dist', 'out']);
});

it('settings that differ in production are those of production', () => {
  for (const value of [
    "process.env.NODE_ENV === 'production' ? 'export' : undefined",
    "isProd ? 'export' : undefined",
  ]) {
    assert.deepEqual(nextjs(`export default { output: ${value} }`).site?.folders.value, ['out'], value);
  }
  assert.equal(nextjs("export default { output: process.env.STATIC ? 'export' : undefined }").site, null);
});

it('a server of files that would be downloaded at each start gives way to the web server, for an export', () => {
  const exported = "export default { output: 'export' }";
  for (const start of ['npx serve@latest out', 'npx -y http-server ./out -p 3000']) {
    const { text, site } = nextjs(exported, { build: 'next build', start }, {}, 'next.config.mjs', { next: '15' });
    assert.deepEqual([site?.folders.value, /FROM nginx/.test(text)], [['out'], true], start);
    assert.match(nextjs('', { build: 'next build', start }, {}, 'next.config.mjs', { next: '15' }).text, /npx /);
  }
  assert.match(nextjs(exported, { build: 'next build', start: 'npx serve out' }).text, /npx serve out/, 'installed');
});

it('an app in a folder of its own is built and started there', () => {
  const { text } = nextjs('', { build: 'next build src', start: `next start src -p \${PORT:-3000}` });
  assert.match(text, /CMD \["\/bin\/sh","-c","exec next start src -p \$\{PORT:-3000\}"\]/);
  assert.match(text, /ln -s \/tmp\/next-cache \/out\/src\/\.next\/cache/);
});

it("the author's own start goes before what Next.js would start, an export's too", () => {
  const chained = nextjs("module.exports = { output: 'export', distDir: '_static' }", {
    build: 'next build',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    start: 'node hello.js; serve -s _static -l tcp://0.0.0.0:${PORT:-8080} -n',
  });
  assert.match(chained.text, /CMD \["\/bin\/sh","-c","node hello\.js; exec serve -s _static -l/);
  const server = nextjs('', { build: 'next build', start: 'NODE_ENV=production node server.js' });
  assert.match(server.text, /CMD \["\/bin\/sh","-c","exec env NODE_ENV=production node server\.js"\]/);
  assert.match(server.text, /if false && /);
});

it('the usual starts are left to what the build made', () => {
  for (const start of [
    'next start',
    'NODE_ENV=production next start',
    'node .next/standalone/server.js',
    'next dev',
    undefined,
  ]) {
    const { text } = nextjs("export default { output: 'standalone' }", { build: 'next build', start });
    assert.match(text, /CMD \["\/bin\/sh","\/app\/start\.sh"\]/, String(start));
  }
});

it('a build in the start script is done with the image', () => {
  const { build, start } = nextjs('', { start: 'next build && next start' });
  assert.deepEqual([build?.value, start?.value], ['next build', ['/bin/sh', '/app/start.sh']]);
});

it('TypeScript stays where Next.js needs it to read its settings', () => {
  const typescript = { typescript: '5' };
  assert.equal(nextjs('', USUAL, typescript, 'next.config.ts').keepsDevelopment.value, true);
  assert.equal(nextjs('', USUAL, typescript).keepsDevelopment.value, false);
});
