/**
 * A service that answers `/answer/<kind>/<index>` with the bytes of `answers.json`, `/look` and `/scan` with what those
 * programs print, and everything else in an ordinary way.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const answers = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8'));
const ordinary = (body) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

createServer((socket) => {
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
    if (!heard.includes('\r\n')) return;
    const path = heard.split(' ')[1] ?? '/';
    heard = '';
    const [, kind, index] = /^\/answer\/(\w+)\/(\d+)/.exec(path) ?? [];
    if (kind !== undefined) socket.end(Buffer.from(answers[kind][index], 'base64'));
    else if (path === '/look' || path === '/scan') {
      execFile('node', [`/app${path}.mjs`], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
        socket.end(ordinary(error === null ? stdout : `FAILED ${stderr}`));
      });
    } else socket.end(ordinary('serves'));
  });
}).listen(4000);
process.on('SIGTERM', () => process.exit(0));
