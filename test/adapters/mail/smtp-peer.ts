import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Received {
  readonly from: string;
  readonly recipients: readonly string[];
  /** Unfolded header lines and the body, as they came over the wire. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** A real mail server on a free port of the loopback, that keeps what it takes. */
export async function startSmtpPeer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push(read(Buffer.concat(chunks).toString('utf8'), session));
        done();
      });
    },
    ...options,
  });
  // Clients that go away in the middle are part of the tests.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port, url: `smtp://127.0.0.1:${port}`, received, stop };
}

interface Session {
  readonly envelope: {
    readonly mailFrom: false | { address: string };
    readonly rcptTo: readonly { address: string }[];
  };
  readonly secure: boolean;
  readonly user?: unknown;
}

function read(raw: string, { envelope, secure, user }: Session): Received {
  const end = raw.indexOf('\r\n\r\n');
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    recipients: envelope.rcptTo.map(({ address }) => address),
    headers: raw
      .slice(0, end)
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n'),
    body: raw.slice(end + 4),
    secure,
    user: typeof user === 'string' ? user : undefined,
  };
}

/** One header's value with its encoded words read (RFC 2047). */
export function header({ headers }: Pick<Received, 'headers'>, name: string): string {
  const line = headers.find((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`)) ?? '';
  const value = line.slice(name.length + 1).trim();
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : quotedPrintable(text.replaceAll('_', ' ')),
    );
}

/** The text part of a multipart/alternative body. */
export function textPart({ body }: Pick<Received, 'body'>): string {
  const part = body.split(/\r\n--/).find((piece) => /content-type: text\/plain/i.test(piece)) ?? '';
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const text = rest.join('\r\n\r\n').replaceAll('\r\n', '\n');
  if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8');
  return /quoted-printable/i.test(head) ? quotedPrintable(text) : text;
}

function quotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
