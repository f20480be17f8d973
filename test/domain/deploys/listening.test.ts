import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPort } from '../../../domain/deploys/listening.ts';

const on = (host: string, port: number) => ({ host, port });

for (const [what, sockets, found] of [
  ['nothing listens', [], null],
  ['it listens at its port', [on('0.0.0.0', 3000), on('0.0.0.0', 9464)], null],
  ['it listens at its port in both ways', [on('127.0.0.1', 3000), on('::', 3000)], null],
  ['at an address of its container', [on('172.17.0.2', 3000)], null],
  ['on the loopback', [on('127.0.0.1', 3000)], { kind: 'loopback', host: '127.0.0.1', port: 3000 }],
  [
    'on the loopback, its metrics everywhere',
    [on('::1', 3000), on('::', 9464)],
    { kind: 'loopback', host: '::1', port: 3000 },
  ],
  [
    'on the loopback, behind a server that it reaches',
    [on('127.0.0.1', 3000), on('0.0.0.0', 8080)],
    { kind: 'other-port', port: 8080 },
  ],
  ['elsewhere, with metrics above', [on('::', 9464), on('::', 8080)], { kind: 'other-port', port: 8080 }],
  ['elsewhere, with metrics below', [on('::', 9090), on('::', 9999)], { kind: 'other-port', port: 9999 }],
  ['at a port for metrics alone', [on('::', 9464)], { kind: 'other-port', port: 9464 }],
  [
    'elsewhere, with a debugger on the loopback',
    [on('127.0.0.1', 2000), on('::', 8080)],
    { kind: 'other-port', port: 8080 },
  ],
  ['elsewhere on the loopback', [on('127.0.0.2', 5173)], { kind: 'loopback', host: '127.0.0.2', port: 5173 }],
] as const) {
  test(`what the sockets of a service tell that is asked at port 3000: ${what}`, () => {
    assert.deepEqual(findPort(sockets, { port: 3000, onLoopback: false }), found);
  });
}

for (const [what, sockets, found] of [
  ['it listens there', [on('127.0.0.1', 3000)], null],
  ['it listens everywhere by now', [on('0.0.0.0', 3000)], null],
  ['elsewhere', [on('::', 8080)], { kind: 'other-port', port: 8080 }],
] as const) {
  test(`what the sockets of a service tell to which port 3000 is forwarded: ${what}`, () => {
    assert.deepEqual(findPort(sockets, { port: 3000, onLoopback: true }), found);
  });
}
