import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';

/** Part of a page in its own pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface BrowserPage extends AsyncDisposable {
  /** `headers` go with every request of the page. */
  readonly open: (address: string, headers?: Readonly<Record<string, string>>) => Promise<void>;
  /** Asks the page an expression until its answer fits the schema. @throws Error naming `what`, after 30 s */
  readonly waitFor: <T>(what: string, expression: string, schema: z.ZodType<T>) => Promise<T>;
  /** A PNG of the area. */
  readonly picture: (area: Area) => Promise<Buffer>;
}

const WAIT_MS = 30_000;
const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run'],
  // The browser itself asks nobody else for anything.
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  '--remote-debugging-port=0',
];

const targetsSchema = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string() }));
const replySchema = z.object({
  id: z.number().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const valueSchema = z.object({ result: z.object({ value: z.unknown().optional() }) });
const pictureSchema = z.object({ data: z.base64() });

/** A page of a headless chromium (from the PATH) with a profile of its own, driven by the DevTools protocol. */
export async function openBrowser(window: { width: number; height: number }): Promise<BrowserPage> {
  const profile = await mkdtemp(join(tmpdir(), 'fairlead-browser-'));
  const size = `--window-size=${window.width},${window.height}`;
  const child = spawn('chromium', [...ARGUMENTS, size, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await once(child, 'spawn');
    const call = await connect(await debuggerOf(child.stderr));
    const ask = async (expression: string): Promise<unknown> =>
      valueSchema.parse(await call('Runtime.evaluate', { expression, returnByValue: true })).result.value;
    return {
      open: async (url, headers = {}) => {
        await call('Network.enable', {});
        await call('Network.setExtraHTTPHeaders', { headers });
        await call('Page.navigate', { url });
      },
      waitFor: (what, expression, schema) => untilAnswered(what, () => ask(expression), schema),
      picture: async (area) => {
        const clip = { ...area, scale: 1 };
        const shot = await call('Page.captureScreenshot', { clip, captureBeyondViewport: true });
        return Buffer.from(pictureSchema.parse(shot).data, 'base64');
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The address of the first page's debugger; the browser prints its own when it is up. */
async function debuggerOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const host = /DevTools listening on ws:\/\/([^/]+)/.exec(line)?.[1];
    if (host === undefined) continue;
    output.resume(); // what else it prints must not fill the pipe
    const targets = targetsSchema.parse(await (await fetch(`http://${host}/json`)).json());
    const page = targets.find(({ type }) => type === 'page');
    if (page !== undefined) return page.webSocketDebuggerUrl;
  }
  throw new Error('chromium ended before it listened');
}

type Call = (method: string, params: object) => Promise<unknown>;

async function connect(address: string): Promise<Call> {
  const socket = new WebSocket(address, { maxPayload: 64 * 1024 ** 2 });
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.on('message', (bytes: Buffer) => {
    const { id, result, error } = replySchema.parse(JSON.parse(bytes.toString()));
    if (id === undefined) return;
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('chromium ended'));
  });
  let calls = 0;
  return (method, params) => {
    calls += 1;
    const reply = Promise.withResolvers<unknown>();
    waiting.set(calls, reply);
    socket.send(JSON.stringify({ id: calls, method, params }));
    return reply.promise;
  };
}

async function untilAnswered<T>(what: string, ask: () => Promise<unknown>, schema: z.ZodType<T>): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const answer = schema.safeParse(await ask());
    if (answer.success) return answer.data;
    if (performance.now() > deadline) throw new Error(`${what}: not on the page within ${WAIT_MS / 1000} s`);
    await delay(100);
  }
}
