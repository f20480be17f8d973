import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VendorRequest {
  readonly method: string;
  /** Below the base address of the API, decoded by nobody. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface VendorAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VendorServer {
  readonly url: string;
  /** All that was asked, as in `POST /repos/acme/shop/hooks`. */
  readonly asked: readonly string[];
  /** Answers instead of the vendor while it is set; null asks the vendor. */
  fault: ((request: VendorRequest, response: ServerResponse) => VendorAnswer | null | 'answered') | null;
  stop(): Promise<void>;
}

/** A server on the loopback that answers as the API of a vendor does. */
export async function startVendor(
  base: string,
  answer: (request: VendorRequest) => VendorAnswer,
): Promise<VendorServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://vendor');
      const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
      const { method = 'GET', headers } = request;
      const asking: VendorRequest = { method, path, query: url.searchParams, headers, body };
      asked.push(`${method} ${path}`);
      const given =
        vendor.fault?.(asking, response) ?? (url.pathname.startsWith(base) ? answer(asking) : { status: 404 });
      if (given === 'answered') return;
      response.writeHead(given.status, { 'content-type': 'application/json; charset=utf-8', ...given.headers });
      response.end(given.body === undefined ? undefined : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const vendor: VendorServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fault: null,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return vendor;
}

async function read(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** One page of a list, and the header that tells of the next. */
function pageOf<T>(list: readonly T[], { query, path }: VendorRequest): { items: readonly T[]; link: string } {
  const size = Math.min(Number(query.get('per_page') ?? 30), 100);
  const page = Number(query.get('page') ?? 1);
  const items = list.slice((page - 1) * size, page * size);
  const hasNext = list.length > page * size;
  return { items, link: hasNext ? `<https://vendor${path}?per_page=${size}&page=${page + 1}>; rel="next"` : '' };
}

export interface VendorRepository<H extends { readonly id: number }> {
  readonly hooks: H[];
  readonly changeHook: 'PATCH' | 'PUT';
  /** Null makes one. */
  writeHook(hook: H | null, request: VendorRequest): VendorAnswer;
  showHook(hook: H): object;
  setStatus(commit: string, request: VendorRequest): VendorAnswer;
  readonly notFound: VendorAnswer;
}

/** What the vendors have in common: hooks and statuses below the path of a repository. */
export function answerBelow<H extends { readonly id: number }>(
  { hooks, changeHook, writeHook, showHook, setStatus, notFound }: VendorRepository<H>,
  below: string,
  request: VendorRequest,
): VendorAnswer {
  const { method } = request;
  const [, first, last = ''] = /^\/([^/]+)(?:\/([^/]+))?$/.exec(below) ?? [];
  if (first === 'statuses' && method === 'POST') return setStatus(last, request);
  if (first !== 'hooks') return notFound;
  if (last === '' && method === 'POST') return writeHook(null, request);
  if (last === '') {
    const { items, link } = pageOf(hooks, request);
    return { status: 200, body: items.map(showHook), headers: link === '' ? {} : { link } };
  }
  const hook = hooks.find(({ id }) => String(id) === last);
  if (hook === undefined) return notFound;
  if (method === changeHook) return writeHook(hook, request);
  if (method !== 'DELETE') return notFound;
  hooks.splice(hooks.indexOf(hook), 1);
  return { status: 204 };
}
