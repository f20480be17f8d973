// Keeps the JavaScript of the platform's TypeScript between starts: `node --import` this file, with KEPT_TRANSLATIONS naming
// the folder. Node's own compile cache (NODE_COMPILE_CACHE) starts a program sooner, but holds all it read in memory as long
// as the process lives: 15 MB in one of services. Without either, Node loads its translator, which takes as much.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = usableFolder(process.env.KEPT_TRANSLATIONS);
if (folder !== null) registerHooks({ load });

function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts') || url.includes('/node_modules/')) return nextLoad(url, context);
  return { format: 'module', source: translateFile(fileURLToPath(url)), shortCircuit: true };
}

/** The JavaScript of a file, from the folder where it is kept. */
export function translateFile(path) {
  return translate(readFileSync(path, 'utf8'));
}

/** Types become spaces: lines and columns in stack traces stay those of the source. */
function translate(text) {
  const version = `${process.version}\n`;
  const path = join(folder, `${createHash('sha256').update(version).update(text).digest('hex')}.js`);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const source = stripTypeScriptTypes(text);
    keep(path, source);
    return source;
  }
}

/** Whole or not at all: other processes read it, too. */
function keep(path, source) {
  try {
    const whole = `${path}.${randomUUID()}`;
    writeFileSync(whole, source, { mode: 0o600 });
    renameSync(whole, path);
  } catch {
    // Such as a full disk: it is translated again at the next start.
  }
}

/** What is kept runs as it stands there, so nobody else may write to it. Null: Node translates by itself. */
function usableFolder(path) {
  if (!path) return null;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(path);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0) ? path : null;
  } catch {
    return null;
  }
}
