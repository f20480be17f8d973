import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };
/** An opener that finds no browser says so at once; one that runs on has found one. */
const VERDICT_MS = 2_000;

/** What tells whether a person sits in front of a browser here. */
export interface DesktopEnv {
  readonly DISPLAY?: string | undefined;
  readonly WAYLAND_DISPLAY?: string | undefined;
  readonly SSH_CONNECTION?: string | undefined;
  readonly SSH_TTY?: string | undefined;
}

/** False on another machine than the person's own, and on Linux without a desktop. */
export function hasBrowser(env: DesktopEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined) return false;
  if (platform !== 'linux') return true;
  return env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
}

/** Starts the system's opener, which outlives this process. @returns false when there is none, or it found no browser */
export function openBrowser(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true });
    const verdict = setTimeout(() => done(true), VERDICT_MS);
    const done = (opened: boolean): void => {
      clearTimeout(verdict);
      child.unref();
      resolve(opened);
    };
    child.once('error', () => done(false));
    // explorer.exe ends with 1 although it opened the page.
    child.once('exit', (code) => done(code === 0 || process.platform === 'win32'));
  });
}
