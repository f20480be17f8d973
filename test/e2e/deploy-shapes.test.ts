import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  completed,
  createService,
  gitRepository,
  logText,
  removeService,
  trigger,
  uniqueName,
  visit,
} from './harness.ts';

/** A server that answers with a text, with what Node.js brings. */
const server = (text: string): string =>
  `require('node:http').createServer((_, reply) => reply.end(${JSON.stringify(text)})).listen(process.env.PORT);\n`;

interface Shape {
  readonly name: string;
  readonly files: Readonly<Record<string, string | object>>;
  /** What a path answers: its status and text. */
  readonly answers: Readonly<Record<string, readonly [number, RegExp]>>;
  readonly logged: readonly RegExp[];
}

const SHAPES: readonly Shape[] = [
  {
    name: 'a start script that builds first, with a tool for development',
    files: {
      'package.json': {
        scripts: {
          build: 'node -e "require(\'is-odd\')" && node make.js',
          start: 'npm run build && node dist/server.js',
        },
        devDependencies: { 'is-odd': '3.0.1' },
      },
      'make.js': `const { cpSync } = require('node:fs'); cpSync('src', 'dist', { recursive: true });`,
      'src/server.js': server('built once'),
    },
    answers: { '/': [200, /built once/] },
    logged: [/Start: node dist\/server\.js/, /devDependencies: pruned/],
  },
  {
    name: 'TypeScript that runs as it is by a tool for development, beside an install script',
    files: {
      'package.json': {
        type: 'module',
        scripts: { postinstall: 'node scripts/greet.js', start: 'tsx src/main.ts' },
        devDependencies: { tsx: '4.20.6' },
      },
      'scripts/greet.js': `import { writeFileSync } from 'node:fs'; writeFileSync('greeting.txt', 'after install');`,
      'src/main.ts': `import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
enum Answer { Text = 1 }
createServer((_, reply) => { reply.end(readFileSync('greeting.txt', 'utf8') + Answer.Text); }).listen(Number(process.env.PORT));`,
    },
    answers: { '/': [200, /after install1/] },
    logged: [/devDependencies: kept/],
  },
  {
    name: 'web of a Procfile on a pinned Node.js, after a command that comes first',
    files: {
      'package.json': { scripts: { start: 'node no-such-file.js' } },
      '.nvmrc': 'lts/jod\n',
      Procfile: 'web: node first.js && node bin/www\n',
      'first.js': `require('node:fs').writeFileSync('/tmp/first', 'ran first');`,
      'bin/www': `require('node:http').createServer((_, reply) => reply.end(require('node:fs').readFileSync('/tmp/first'))).listen(process.env.PORT);`,
    },
    answers: { '/': [200, /ran first/] },
    logged: [/Start: node first\.js && node bin\/www \(web in Procfile names it\)/, /runs on node:22/],
  },
  {
    name: 'one page of a tool with a folder of its own, below a path',
    files: {
      'package.json': { scripts: { build: 'node make.js' }, devDependencies: { vite: 'file:tools/vite' } },
      'tools/vite/package.json': { name: 'vite', version: '7.0.0' },
      'vite.config.js': `export default { base: '/shop/', build: { outDir: 'web' } };`,
      'make.js': `const fs = require('node:fs'); fs.mkdirSync('web'); fs.cpSync('index.html', 'web/index.html'); fs.writeFileSync('web/a.js', 'code');`,
      'index.html': '<p>the one page',
    },
    answers: {
      '/orders/7': [200, /the one page/],
      '/shop/a.js': [200, /code/],
      '/missing.js': [404, /404/],
    },
    logged: [/Site: web \(the settings of vite name it\)/],
  },
  {
    name: 'pages with a file each, and one for what is missing',
    files: {
      'index.html': '<p>home',
      'about.html': '<p>about',
      '404.html': '<p>nothing here',
      'blog.html': '<p>the blog',
      'blog/first.html': '<p>first post',
    },
    answers: {
      '/': [200, /home/],
      '/about': [200, /about/],
      '/blog': [200, /the blog/],
      '/blog/': [200, /the blog/],
      '/blog/first': [200, /first post/],
      '/other': [404, /nothing here/],
    },
    logged: [/Missing paths: 404/],
  },
  {
    name: 'a Dockerfile that sets no user, where none can be generated',
    files: {
      'package.json': { scripts: { test: 'true' } },
      Dockerfile: 'FROM node:24-alpine\nWORKDIR /srv\nCOPY . .\nEXPOSE 4100\nCMD ["node", "any.js"]\n',
      'any.js': server('as 1001').replace('process.env.PORT', '4100'),
    },
    answers: { '/': [200, /as 1001/] },
    logged: [/USER 1001 was added at the end/],
  },
];

describe('what strangers bring goes live as it is', { concurrency: 3 }, () => {
  const made: string[] = [];
  after(async () => {
    for (const name of made) await removeService(name);
  });

  for (const { name: shape, files, answers, logged } of SHAPES) {
    it(shape, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'fairlead-shape-'));
      await writeFiles(folder, files);
      await using repository = await gitRepository(folder);
      const name = uniqueName('shape');
      await createService(name, { gitUrl: repository.path });
      made.push(name);
      const { buildId } = await trigger(name);
      await completed(buildId);
      for (const [path, [status, text]] of Object.entries(answers)) {
        const answer = await visit(name, path);
        assert.equal(answer.status, status, path);
        assert.match(answer.body, text);
      }
      const log = await logText(buildId);
      for (const line of logged) assert.match(log, line);
    });
  }
});

async function writeFiles(folder: string, files: Shape['files']): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
