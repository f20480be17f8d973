import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** How a browser is run without a screen, also as root in a container. */
export const CHROMIUM_FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** The browser that tests of pages use; nothing but tests needs it. */
export const chromium: Tool = {
  name: 'chromium',
  title: 'Chromium',
  // Debian's is kept up to date by Debian: what is kept here is a launcher alone.
  version: 'debian',
  file: 'chromium',
  variable: 'CHROMIUM_PATH',
  onPath: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  probe: async (path) => {
    const output = await runProgram(path, [...CHROMIUM_FLAGS, '--version'], { timeoutMs: 60_000 });
    const [, version] = /(?:Chromium|Chrome) (\d+\.\S+)/.exec(output) ?? [];
    if (version === undefined) throw new Error(`not a Chromium: ${output.trim().slice(0, 80)}`);
    return version;
  },
  ways: [
    {
      name: 'Debian package chromium (as root)',
      usual: '20 to 90 s',
      obtain: async (folder) => {
        if (process.getuid?.() !== 0) throw new Error('only root may install packages');
        const env = { DEBIAN_FRONTEND: 'noninteractive' };
        await runProgram('apt-get', ['update', '-qq'], { env });
        await runProgram('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env });
        await writeFile(join(folder, 'chromium'), '#!/bin/sh\nexec /usr/bin/chromium "$@"\n', { mode: 0o755 });
      },
    },
  ],
  byHand: 'install Chromium or Chrome, or set CHROMIUM_PATH to its program',
};
