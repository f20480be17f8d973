import type { CorpusRow } from './repositories.ts';

/** An application of our own making, for what no public repository shows reliably. */
export interface Sample extends Pick<CorpusRow, 'framework' | 'expected' | 'needs' | 'shows'> {
  readonly sample: string;
  /** Texts by path; an object is JSON. */
  readonly files: Readonly<Record<string, string | object>>;
}

const NEXT = { next: '15.5.6', react: '19.1.0', 'react-dom': '19.1.0' };
const LAYOUT = 'export default ({ children }) => (<html lang="en"><body>{children}</body></html>);\n';
const page = (text: string): string => `export default function Page() {\n  return <p>${text}</p>;\n}\n`;

/** Each way of building and starting Next.js that an author has. */
const NEXTJS: readonly Sample[] = [
  {
    sample: 'next-export',
    framework: 'nextjs',
    expected: 'live',
    shows: /exported by Next/,
    files: {
      'package.json': { scripts: { build: 'next build', start: 'npx serve@latest site' }, dependencies: NEXT },
      'next.config.mjs': `export default { output: 'export', distDir: 'site', trailingSlash: true };\n`,
      'src/app/layout.jsx': LAYOUT,
      'src/app/page.jsx': page('exported by Next'),
    },
  },
  {
    sample: 'next-standalone',
    framework: 'nextjs',
    expected: 'live',
    shows: /served standalone/,
    files: {
      'package.json': { scripts: { build: 'next build', start: 'next start' }, dependencies: NEXT },
      'next.config.mjs': `export default { output: 'standalone', distDir: 'made' };\n`,
      'src/app/layout.jsx': LAYOUT,
      'src/app/page.jsx': `export const dynamic = 'force-dynamic';\n${page('served standalone')}`,
      'public/robots.txt': 'User-agent: *\n',
    },
  },
  {
    sample: 'next-custom-server',
    framework: 'nextjs',
    expected: 'live',
    shows: /of a server of its own/,
    files: {
      'package.json': {
        scripts: { dev: 'node server.js', build: 'next build', start: 'NODE_ENV=production node server.js' },
        dependencies: NEXT,
      },
      'server.js': `const { createServer } = require('node:http');
const app = require('next')({ dev: process.env.NODE_ENV !== 'production' });
const handle = app.getRequestHandler();
app.prepare().then(() => createServer((request, reply) => handle(request, reply)).listen(process.env.PORT || 3000));
`,
      'pages/index.jsx': `export const getServerSideProps = () => ({ props: {} });\n${page('of a server of its own')}`,
    },
  },
  {
    sample: 'next-own-start',
    framework: 'nextjs',
    expected: 'live',
    shows: /after a command of its own/,
    files: {
      'package.json': {
        scripts: { build: 'next build', start: `node say.js && next start -p \${PORT:-3000}` },
        dependencies: NEXT,
      },
      'say.js': `console.log('said first');\n`,
      'src/pages/index.jsx': page('after a command of its own'),
    },
  },
];

const answering = (text: string): string =>
  `require('node:http').createServer((_, reply) => reply.end(${text})).listen(process.env.PORT);\n`;

/** Native modules: compiled or prebuilt, installed, pruned and loaded in the slim image. */
const NATIVE: readonly Sample[] = [
  {
    sample: 'native-npm',
    framework: 'express',
    expected: 'live',
    shows: /^sharp png, bcrypt true, better-sqlite3 3$/,
    files: {
      'package.json': {
        scripts: { start: 'node server.js' },
        dependencies: { sharp: '0.34.4', bcrypt: '6.0.0', 'better-sqlite3': '12.4.1' },
      },
      'server.js': `const bcrypt = require('bcrypt');
const sharp = require('sharp');
const database = new (require('better-sqlite3'))(':memory:');
const { sum } = database.prepare('SELECT 1 + 2 AS sum').get();
const isSame = bcrypt.compareSync('word', bcrypt.hashSync('word', 4));
const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } }).png();
image.toBuffer({ resolveWithObject: true }).then(({ info }) => {
  const text = \`sharp \${info.format}, bcrypt \${isSame}, better-sqlite3 \${sum}\`;
  ${answering('text')}});
`,
    },
  },
  {
    sample: 'native-yarn',
    framework: 'express',
    expected: 'live',
    shows: /^canvas 8, sqlite3 3, built$/,
    files: {
      'package.json': {
        packageManager: 'yarn@1.22.22',
        scripts: { build: 'node make.js', start: 'node dist/server.js' },
        dependencies: { canvas: '3.2.0', sqlite3: '5.1.7' },
        // Pruned after the build: what the others have compiled must stay.
        devDependencies: { ms: '2.1.3' },
      },
      'make.js': `require('ms');
require('node:fs').cpSync('src', 'dist', { recursive: true });
`,
      'src/server.js': `const { createCanvas } = require('canvas');
const { Database } = require('sqlite3');
new Database(':memory:').get('SELECT 1 + 2 AS sum', (error, row) => {
  if (error) throw error;
  const text = \`canvas \${createCanvas(8, 8).width}, sqlite3 \${row.sum}, built\`;
  ${answering('text')}});
`,
    },
  },
  {
    sample: 'native-pnpm',
    framework: 'express',
    expected: 'live',
    shows: /^built by esbuild and swc$/,
    files: {
      'package.json': {
        packageManager: 'pnpm@9.15.0',
        scripts: { build: 'node make.js', start: 'node dist/server.js' },
        devDependencies: { esbuild: '0.25.10', '@swc/core': '1.13.5' },
      },
      'make.js': `const { mkdirSync, writeFileSync } = require('node:fs');
const { buildSync } = require('esbuild');
const { transformFileSync } = require('@swc/core');
mkdirSync('made');
writeFileSync('made/text.js', transformFileSync('src/text.ts', { module: { type: 'commonjs' } }).code);
buildSync({ entryPoints: ['src/server.js'], bundle: true, platform: 'node', outfile: 'dist/server.js' });
`,
      'src/text.ts': `export const text: string = 'built by esbuild and swc';\n`,
      'src/server.js': `const { text } = require('../made/text.js');\n${answering('text')}`,
    },
  },
  {
    sample: 'native-prisma',
    framework: 'express',
    expected: /Prisma could not download its engines.*binaries\.prisma\.sh/s,
    needs: 'the internet',
    files: {
      'package.json': {
        scripts: { start: 'node server.js' },
        dependencies: { '@prisma/client': '6.16.0', prisma: '6.16.0' },
      },
      'prisma/schema.prisma': `generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "sqlite"
  url      = "file:/tmp/app.db"
}
model Note {
  id Int @id
}
`,
      'server.js': `const { PrismaClient } = require('@prisma/client');\nnew PrismaClient();\n${answering(`'prisma'`)}`,
    },
  },
];

/** SvelteKit as its own starter writes it. */
const SVELTEKIT: readonly Sample[] = [
  {
    sample: 'sveltekit',
    framework: 'express',
    expected: 'live',
    shows: /rendered by SvelteKit/,
    files: {
      'package.json': {
        type: 'module',
        scripts: { dev: 'vite dev', build: 'vite build', prepare: `svelte-kit sync || echo ''` },
        devDependencies: {
          '@sveltejs/adapter-auto': '7.0.0',
          '@sveltejs/kit': '2.49.0',
          '@sveltejs/vite-plugin-svelte': '6.2.1',
          svelte: '5.45.2',
          vite: '7.2.6',
        },
      },
      'svelte.config.js': `import adapter from '@sveltejs/adapter-auto';\nexport default { kit: { adapter: adapter() } };\n`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
      'src/routes/+page.svelte': '<p>rendered by SvelteKit</p>\n',
    },
  },
];

/** What authors run beside a build and a start, and where they write. */
const SCRIPTS: readonly Sample[] = [
  {
    sample: 'scripts-in-order',
    framework: 'express',
    expected: 'live',
    shows: /^checked, built by two$/,
    files: {
      'package.json': {
        scripts: {
          build: 'run-s build:*',
          'build:first': 'node -e "fs.mkdirSync(\'dist\')"',
          'build:second': "node -e \"fs.cpSync('server.js', 'dist/server.js')\"",
          start: 'run-s build check serve',
          check: "node -e \"fs.writeFileSync('/tmp/checked', 'checked')\"",
          serve: 'node dist/server.js',
        },
        devDependencies: { 'npm-run-all2': '8.0.4' },
      },
      'server.js': `const text = require('node:fs').readFileSync('/tmp/checked') + ', built by two';\n${answering('text')}`,
    },
  },
  {
    sample: 'writes-beside-itself',
    framework: 'express',
    expected: /writes to \.\/data\.json.*platform\.io\/writable-paths/,
    needs: 'another folder to write to',
    files: {
      'package.json': { scripts: { start: 'node server.js' } },
      'server.js': `require('node:fs').writeFileSync('./data.json', '{}');\n${answering(`'never'`)}`,
    },
  },
  {
    sample: 'makes-its-folder',
    framework: 'express',
    expected: 'live',
    shows: /^made$/,
    files: {
      'package.json': { scripts: { start: 'node server.js' } },
      'server.js': `require('node:fs').mkdirSync('./data/', { recursive: true });\n${answering(`'made'`)}`,
    },
  },
  {
    sample: 'own-dockerfile',
    framework: 'express',
    expected: /SITE_NAME.*platform\.io\/env-vars.*Dockerfile of its own, which was not used/s,
    needs: 'variables',
    files: {
      'package.json': {
        scripts: { build: 'node check.js', start: 'node server.js' },
        dependencies: { express: '5.1.0' },
      },
      'check.js': `if (!process.env.SITE_NAME) {
  console.log('The following environment variables are not defined:\\n - SITE_NAME');
  process.exit(1);
}
`,
      'server.js': answering('process.env.SITE_NAME'),
      Dockerfile: 'FROM node:24-bookworm-slim\nENV SITE_NAME=own\nCOPY . .\nCMD ["node", "server.js"]\n',
    },
  },
];

export const SAMPLES: readonly Sample[] = [...NEXTJS, ...NATIVE, ...SVELTEKIT, ...SCRIPTS];
