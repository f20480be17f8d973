import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasBrowser } from '../../cli/open-browser.ts';

it('a person sits in front of a browser here: not over SSH, and on Linux only with a desktop', () => {
  const rows = [
    { platform: 'linux', env: {}, has: false },
    { platform: 'linux', env: { DISPLAY: ':0' }, has: true },
    { platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' }, has: true },
    { platform: 'linux', env: { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, has: false },
    { platform: 'darwin', env: {}, has: true },
    { platform: 'darwin', env: { SSH_TTY: '/dev/ttys001' }, has: false },
    { platform: 'win32', env: {}, has: true },
  ] as const;
  for (const { platform, env, has } of rows) assert.equal(hasBrowser(env, platform), has, JSON.stringify(env));
});
