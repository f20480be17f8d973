import { z } from 'zod';
import { parseJson } from '../domain/parse-json.ts';
import { CliFailure } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import { exitOfStatus } from './exit-codes.ts';
import type { Authorize } from './login/authorization.ts';
import { loginEnded } from './login/login-state.ts';

/** Longer than the API itself waits for anything, so that its own answer arrives first. */
const CALL_TIMEOUT_MS = 30_000;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its parameters already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, streamed; wins over `body`. */
  readonly content?: { readonly type: string; readonly stream: ReadableStream<Uint8Array> };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A service of the platform as the commands use it: the builder API, or the identity provider. */
export interface ApiClient {
  /** Base URL. */
  readonly base: string;
  /** One call; the envelope is taken off and the data checked. @throws CliFailure with the API's own code */
  call<T>(reply: z.ZodType<T>, request: ApiRequest): Promise<T>;
  /** The raw answer of a successful call, to be read as a stream. @throws CliFailure */
  open(request: ApiRequest): Promise<Response>;
}

const envelope = z.union([
  z.looseObject({ success: z.literal(true), data: z.unknown() }),
  z.looseObject({
    success: z.literal(false),
    error: z.looseObject({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
  }),
]);

/** What a service is called when something is wrong with it, and the variable that says where it is. */
interface PeerName {
  readonly name: string;
  readonly variable: string;
}

/** What is spoken to: where, and as whom. */
type Peer = Pick<Connection, 'api' | 'credential'> & PeerName;

/** An API client for one connection. Key and token travel in a header, never in an address. */
export function createApiClient(
  connection: Pick<Connection, 'api' | 'credential'>,
  authorize: Authorize,
  called: PeerName = { name: 'builder API', variable: 'FAIRLEAD_URL' },
): ApiClient {
  const peer: Peer = { ...connection, ...called };
  const open = async (request: ApiRequest): Promise<Response> => {
    const first = await send(peer, await authorize(), request);
    const renewable = first.status === 401 && connection.credential?.kind === 'login';
    const response = renewable ? await sendRenewed(peer, authorize, first, request) : first;
    if (response.ok) return response;
    throw refusal(response.status, await response.text(), peer);
  };
  return {
    base: connection.api,
    open,
    call: async (reply, request) => {
      const limit = request.content === undefined ? AbortSignal.timeout(CALL_TIMEOUT_MS) : undefined;
      const signals = [request.signal, limit].filter((signal) => signal !== undefined);
      const response = await open({ ...request, signal: AbortSignal.any(signals) });
      const text = await response.text().catch((error: unknown) => {
        throw unreachable(peer, error);
      });
      const opened = envelope.safeParse(parseJson(text));
      if (!opened.success || !opened.data.success) throw strangeReply(connection.api, request);
      const data = reply.safeParse(opened.data.data);
      if (!data.success) throw strangeReply(connection.api, request, z.prettifyError(data.error));
      return data.data;
    },
  };
}

/** A path of literal and variable parts: `pathOf('builds', id, 'logs')`. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

async function send(
  connection: Peer,
  authorization: Readonly<Record<string, string>>,
  request: ApiRequest,
): Promise<Response> {
  const url = new URL(`${connection.api}${request.path}`);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const type = request.content?.type ?? (request.body === undefined ? null : 'application/json');
  const init: RequestInit & { duplex?: 'half' } = {
    method: request.method,
    // A credential must not follow a redirect to another host.
    redirect: 'error',
    headers: {
      accept: 'application/json',
      ...authorization,
      ...(type === null ? {} : { 'content-type': type }),
      ...request.headers,
    },
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
  if (request.content !== undefined) Object.assign(init, { body: request.content.stream, duplex: 'half' });
  else if (request.body !== undefined) init.body = JSON.stringify(request.body);
  try {
    return await fetch(url, init);
  } catch (error) {
    if (request.signal?.aborted === true && !isTimeout(request.signal.reason)) throw request.signal.reason;
    if (request.content !== undefined && isCut(error)) throw uploadCut(connection.api, error);
    throw unreachable(connection, error);
  }
}

/** Sends once more with a renewed login. @throws CliFailure LOGIN_ENDED when that is refused, too */
async function sendRenewed(
  connection: Peer,
  authorize: Authorize,
  refused: Response,
  request: ApiRequest,
): Promise<Response> {
  await refused.body?.cancel();
  const authorization = await authorize('refused');
  if (request.content !== undefined) {
    throw new CliFailure('LOGIN_RENEWED', 'Your login was renewed because your permissions changed.', {
      exit: 'auth',
      remedy: 'Run the command again.',
    });
  }
  const response = await send(connection, authorization, request);
  if (response.status !== 401) return response;
  await response.body?.cancel();
  throw loginEnded(connection.api);
}

function refusal(status: number, text: string, { api, name }: Peer): CliFailure {
  const parsed = envelope.safeParse(parseJson(text));
  const spokenByApi = parsed.success && !parsed.data.success;
  const exit = exitOfStatus(status, spokenByApi);
  if (!parsed.success || parsed.data.success) {
    return new CliFailure('UNEXPECTED_REPLY', `${api} answered ${status} without an error message.`, {
      exit,
      remedy: `Check that this is the address of a Fairlead ${name}.`,
    });
  }
  const { code, message, details } = parsed.data.error;
  const remedy = status === 401 ? KEY_REFUSED : (REMEDIES[code] ?? roleRemedy(code, message));
  return new CliFailure(code, message, { exit, details, ...(remedy === null ? {} : { remedy }) });
}

const KEY_REFUSED = 'The key was not accepted: check FAIRLEAD_KEY, or run `npm start` again in this checkout.';

/** What to do about a refusal whose message alone does not say it. */
const REMEDIES: Readonly<Record<string, string>> = {
  LOCKER_HANDLE_NOT_FOUND: 'List what the locker holds: `fairlead locker items`.',
  SERVICE_NOT_FOUND: 'List yours: `fairlead services`. Name one, or run the command in the folder of the service.',
};

/** Who lacks a role is told who gives it. */
function roleRemedy(code: string, message: string): string | null {
  const role = code === 'FORBIDDEN' ? /^This needs the role (\w+) or higher in the org/.exec(message)?.[1] : undefined;
  if (role === undefined) return null;
  return `Your role: \`fairlead whoami\`. An admin of the org gives another: \`fairlead members add-role <you> ${role}\``;
}

function unreachable({ api, name, variable }: Peer, cause: unknown): CliFailure {
  const reason = isTimeout(cause)
    ? `did not answer within ${CALL_TIMEOUT_MS / 1000} s`
    : `does not answer${why(cause)}`;
  return new CliFailure('UNREACHABLE', `The ${name} at ${api} ${reason}.`, {
    exit: 'unreachable',
    cause,
    remedy: `Start the stack with \`npm start\`, or check ${variable}.`,
  });
}

/** The connection was there and was closed from the other side. */
function isCut(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].some((code) => why(error).includes(code));
}

function uploadCut(api: string, cause: unknown): CliFailure {
  return new CliFailure('UPLOAD_CUT', `${api} closed the connection during the upload${why(cause)}.`, {
    exit: 'unreachable',
    cause,
    remedy: 'It refused the folder or stopped: see its log, then deploy again.',
  });
}

function strangeReply(api: string, request: ApiRequest, problem = 'it is not the JSON envelope'): CliFailure {
  return new CliFailure(
    'UNEXPECTED_REPLY',
    `${api} gave an unreadable reply to ${request.method} ${request.path}: ${problem}`,
    {
      remedy: 'Check that the API and this command line are of the same version.',
    },
  );
}

function why(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
