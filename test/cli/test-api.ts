import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import {
  type BuildView,
  buildSummarySchema,
  buildViewSchema,
  type LogLineView,
  logLineSchema,
  logPageSchema,
  triggerReplySchema,
} from '../../domain/deploys/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { AT, buildOfTest, type Deployed, planOfTest, releasesOfTest, serviceOfTest } from './test-replies.ts';

export const KEY = 'test-key-of-the-cli-suite-0123456789abcdef';

export interface SeenRequest {
  readonly route: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** What a handler answers: a status and the data or the error of the envelope. */
interface Answer {
  readonly status: number;
  readonly data?: unknown;
  readonly error?: { code: string; message: string; details?: unknown };
  readonly location?: string;
}

/** A builder API on loopback whose builds the test moves along. Every reply is checked by the API's own schemas. */
export interface TestApi {
  readonly url: string;
  readonly requests: SeenRequest[];
  readonly environments: Deployed[];
  /** Answers of routes that a test wants otherwise, such as `POST /builds/trigger`. */
  readonly answers: Map<string, Answer>;
  readonly builds: Map<string, BuildView>;
  /** Runs when a build was started through the API. */
  onBuild: (build: BuildView) => void;
  addBuild(id: string, changes?: Partial<BuildView>): BuildView;
  step(id: string, key: string, changes: Partial<BuildView['steps'][number]>): void;
  log(id: string, step: LogLineView['step'], text: string, level?: LogLineView['level']): void;
  finish(id: string, changes: Partial<BuildView>): void;
  /** How many log streams are open. */
  streams(): number;
  /** Cuts every connection and stops listening; `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface State {
  readonly requests: SeenRequest[];
  readonly environments: Deployed[];
  readonly answers: Map<string, Answer>;
  readonly builds: Map<string, BuildView>;
  readonly lines: Map<string, LogLineView[]>;
  readonly streams: Map<ServerResponse, string>;
  api: TestApi | null;
}

export async function startTestApi(): Promise<TestApi> {
  const state: State = {
    requests: [],
    environments: [],
    answers: new Map(),
    builds: new Map(),
    lines: new Map(),
    streams: new Map(),
    api: null,
  };
  let server = createServer((request, response) => void handle(state, request, response));
  const port = await listen(server, 0);
  const send = (id: string, event: string, data: unknown, seq?: number): void => {
    for (const [response, build] of state.streams) if (build === id) writeEvent(response, event, data, seq);
  };
  const api: TestApi = {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    environments: state.environments,
    answers: state.answers,
    builds: state.builds,
    onBuild: () => {},
    addBuild: (id, changes = {}) => addBuild(state, id, changes),
    step: (id, key, changes) => {
      const build = buildOf(state, id);
      const steps = build.steps.map((step) => (step.key === key ? { ...step, ...changes } : step));
      state.builds.set(id, { ...build, status: steps.find((step) => step.key === key)?.stage ?? build.status, steps });
      send(id, 'status', statusOf(buildOf(state, id)));
    },
    log: (id, step, text, level = 'info') => {
      const known = state.lines.get(id) ?? [];
      const line = logLineSchema.parse({ seq: known.length + 1, time: AT, step, level, text });
      state.lines.set(id, [...known, line]);
      send(id, 'line', line, line.seq);
    },
    finish: (id, changes) => {
      state.builds.set(id, buildViewSchema.parse({ ...buildOf(state, id), finishedAt: AT, ...changes }));
      send(id, 'end', statusOf(buildOf(state, id)));
      for (const [response, build] of state.streams) if (build === id) response.end();
    },
    streams: () => state.streams.size,
    stop: () => close(server),
    start: async () => {
      server = createServer((request, response) => void handle(state, request, response));
      await listen(server, port);
    },
  };
  state.api = api;
  return api;
}

function buildOf(state: State, id: string): BuildView {
  const build = state.builds.get(id);
  if (build === undefined) throw new Error(`the test has no build ${id}`);
  return build;
}

function addBuild(state: State, id: string, changes: Partial<BuildView>): BuildView {
  const build = buildOfTest(id, changes);
  state.builds.set(id, build);
  state.lines.delete(id);
  return build;
}

function statusOf({ status, reason, failure, url }: BuildView) {
  return { status, reason, failure, url };
}

function writeEvent(response: ServerResponse, event: string, data: unknown, seq?: number): void {
  response.write(`${seq === undefined ? '' : `id: ${seq}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
  } catch {
    // The caller went away in the middle of its request, as some tests make it do.
    return;
  }
  const route = `${request.method} ${url.pathname}`;
  const body = Buffer.concat(chunks);
  state.requests.push({ route, query: url.searchParams, headers: request.headers, body });
  const stream = /^GET \/builds\/([^/]+)\/logs$/.exec(route)?.[1];
  const wantsStream = request.headers.accept === 'text/event-stream';
  const wanted = state.answers.get(route);
  if (wanted === undefined && stream !== undefined && wantsStream && state.builds.has(stream)) {
    openStream(state, stream, request, response);
    return;
  }
  const refused: Answer = { status: 401, error: { code: 'UNAUTHORIZED', message: 'The key is not accepted.' } };
  const answer = request.headers['x-internal-key'] !== KEY ? refused : (wanted ?? respond(state, route, url, body));
  const success = answer.status < 400;
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(answer.location === undefined ? {} : { location: answer.location }),
  });
  response.end(JSON.stringify(success ? { success, data: answer.data } : { success, error: answer.error }));
}

function openStream(state: State, id: string, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const after = Number(request.headers['last-event-id'] ?? 0);
  for (const line of state.lines.get(id) ?? []) if (line.seq > after) writeEvent(response, 'line', line, line.seq);
  const build = buildOf(state, id);
  if (build.finishedAt !== null) {
    writeEvent(response, 'end', statusOf(build));
    response.end();
    return;
  }
  state.streams.set(response, id);
  response.on('close', () => state.streams.delete(response));
}

function respond(state: State, route: string, url: URL, body: Buffer): Answer {
  const notFound: Answer = { status: 404, error: { code: 'NOT_FOUND', message: 'There is nothing here.' } };
  if (route === 'POST /services')
    return {
      status: 201,
      data: named(state, z.looseObject({ name: z.string() }).parse(JSON.parse(body.toString())).name),
    };
  if (route === 'GET /services')
    return { status: 200, data: { items: [serviceOfTest('hello', state.environments)], nextCursor: null } };
  if (route === 'POST /builds/plan') return { status: 200, data: planOfTest() };
  if (route === 'POST /builds/trigger' || /^POST \/services\/[^/]+\/rollback$/.test(route)) return startBuild(state);
  if (/^POST \/builds\/[^/]+\/retry$/.test(route)) return startBuild(state);
  if (route === 'POST /builds/upload') {
    gunzipSync(body);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const started = startBuild(state);
    return { ...started, data: { ...z.looseObject({}).parse(started.data), sha256, sizeBytes: body.length } };
  }
  if (route === 'GET /builds') {
    const items = [...state.builds.values()].filter(
      (build) => build.service === (url.searchParams.get('service') ?? build.service),
    );
    return { status: 200, data: pageSchema(buildSummarySchema).parse({ items, nextCursor: null }) };
  }
  return respondAbout(state, route, url) ?? notFound;
}

const named = (state: State, name: string) => serviceOfTest(name, state.environments);

/** Routes of one build or one service. */
function respondAbout(state: State, route: string, url: URL): Answer | null {
  const id = route.split('/')[2] ?? '';
  const build = state.builds.get(id);
  if (/^GET \/builds\/[^/]+$/.test(route) && build !== undefined) return { status: 200, data: build };
  if (/^POST \/builds\/[^/]+\/cancel$/.test(route) && build !== undefined) return { status: 202, data: build };
  if (/^GET \/builds\/[^/]+\/logs$/.test(route) && build !== undefined)
    return { status: 200, data: logPage(state, build, url) };
  if (id !== 'hello') return null;
  if (route === 'GET /services/hello') return { status: 200, data: serviceOfTest('hello', state.environments) };
  if (route === 'DELETE /services/hello') return { status: 200, data: { id: 'svc_1', name: 'hello', deleted: true } };
  if (route === 'GET /services/hello/releases') return { status: 200, data: releasesOfTest() };
  return null;
}

function startBuild(state: State): Answer {
  const id = `bld_${state.builds.size + 1}`;
  const build = addBuild(state, id, {});
  setImmediate(() => state.api?.onBuild(build));
  const data = { buildId: id, deduplicated: false, supersededBuildId: null, service: 'hello', environment: 'prod' };
  return { status: 202, data: triggerReplySchema.parse(data) };
}

function logPage(state: State, build: BuildView, url: URL) {
  const after = Number(url.searchParams.get('after') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 200);
  const items = (state.lines.get(build.id) ?? []).filter((line) => line.seq > after).slice(0, limit);
  const nextAfter = items.at(-1)?.seq ?? after;
  return logPageSchema.parse({ items, nextAfter, status: build.status, complete: build.finishedAt !== null });
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', ready);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the test API has no port');
  return address.port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeAllConnections();
  await closed;
}
