const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What a client sees: a status, or `cut` when the connection ended without a whole answer. */
export type Seen = number | 'cut';

export interface HostileAnswer {
  readonly name: string;
  /** Sent as it is, one byte a character; then the connection is closed unless it says `open`. */
  readonly bytes: string;
  readonly open?: true;
  readonly seen: Seen;
}

/** Answers of a service that means harm or is broken; the status or end that its client must see. */
export const ANSWERS: readonly HostileAnswer[] = [
  { name: 'status 099', bytes: 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status 000', bytes: 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status 600', bytes: 'HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status 999', bytes: 'HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status of four digits', bytes: 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status of two digits', bytes: 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'negative status', bytes: 'HTTP/1.1 -200 OK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'status in words', bytes: 'HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'reason with a bell', bytes: 'HTTP/1.1 200 O\x07K\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'reason with a null', bytes: 'HTTP/1.1 200 O\x00K\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'reason with DEL', bytes: 'HTTP/1.1 200 O\x7fK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'reason with an escape', bytes: 'HTTP/1.1 200 \x1b[31mred\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'reason of 20 KB', bytes: `HTTP/1.1 200 ${'x'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`, seen: 502 },
  { name: 'header value with \\x01', bytes: 'HTTP/1.1 200 OK\r\nX-A: a\x01b\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header value with a null', bytes: 'HTTP/1.1 200 OK\r\nX-A: a\x00b\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header value with DEL', bytes: 'HTTP/1.1 200 OK\r\nX-A: a\x7fb\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header name with a blank', bytes: 'HTTP/1.1 200 OK\r\nX A: b\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header name with \\x80', bytes: 'HTTP/1.1 200 OK\r\nX\x80A: b\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header without a name', bytes: 'HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'header line without a colon', bytes: 'HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'headers of 40 KB', bytes: `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(40_000)}\r\n\r\n`, seen: 502 },
  { name: 'two lengths', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nok', seen: 502 },
  { name: 'a negative length', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok', seen: 502 },
  { name: 'a length in words', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok', seen: 502 },
  { name: 'a length past all', bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\nok`, seen: 502 },
  {
    name: 'length and chunks',
    bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    seen: 502,
  },
  { name: 'a transfer coding of its own', bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx', seen: 502 },
  { name: 'a chunk of no size', bytes: `${CHUNKED}zz\r\nok\r\n0\r\n\r\n`, seen: 'cut' },
  { name: 'chunks that break off', bytes: `${CHUNKED}5\r\nok`, seen: 'cut' },
  { name: 'a body shorter than its length', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok', seen: 'cut' },
  { name: 'a body longer than its length', bytes: `${OK}${'x'.repeat(1_000)}`, seen: 200 },
  { name: 'two answers for one question', bytes: `${OK}${OK}`, seen: 200 },
  { name: 'trailers with control characters', bytes: `${CHUNKED}2\r\nok\r\n0\r\nX-A: a\x01b\r\n\r\n`, seen: 'cut' },
  { name: 'trailers that set a cookie', bytes: `${CHUNKED}2\r\nok\r\n0\r\nSet-Cookie: a=b\r\n\r\n`, seen: 200 },
  { name: '204 with a length and a body', bytes: 'HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello', seen: 204 },
  { name: '304 with a body', bytes: 'HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nhello', seen: 304 },
  {
    name: 'a switch nobody asked for',
    bytes: 'HTTP/1.1 101 Go\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    seen: 502,
  },
  { name: '101 without a word', bytes: 'HTTP/1.1 101 Go\r\n\r\n', seen: 502 },
  { name: 'only early hints', bytes: 'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n', seen: 502 },
  { name: 'thousands of early hints', bytes: `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000)}${OK}`, seen: 200 },
  { name: 'another protocol', bytes: 'SSH-2.0-OpenSSH_9.9\r\n', seen: 502 },
  { name: 'HTTP/0.9', bytes: '<html>hello</html>', seen: 502 },
  { name: 'HTTP/2', bytes: 'HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  { name: 'nothing at all', bytes: '', seen: 502 },
  { name: 'half a head', bytes: 'HTTP/1.1 200 OK\r\nContent-Le', seen: 502 },
  { name: 'a megabyte without a line', bytes: 'x'.repeat(1_000_000), seen: 502 },
  { name: 'silence', bytes: '', open: true, seen: 504 },
  { name: 'half a head, then silence', bytes: 'HTTP/1.1 200 OK\r\nX-A', open: true, seen: 504 },
];

/** Answers to a WebSocket handshake. */
export const UPGRADES: readonly Omit<HostileAnswer, 'open'>[] = [
  { name: 'status 099', bytes: 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n', seen: 502 },
  {
    name: 'reason with a bell',
    bytes: 'HTTP/1.1 101 G\x07o\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    seen: 502,
  },
  { name: 'another protocol', bytes: 'HTTP/1.1 101 Go\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n', seen: 502 },
  { name: 'no protocol', bytes: 'HTTP/1.1 101 Go\r\nConnection: Upgrade\r\n\r\n', seen: 502 },
  {
    name: 'header value with \\x01',
    bytes: 'HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: a\x01\r\n\r\n',
    seen: 502,
  },
  { name: 'refusal with status 000', bytes: 'HTTP/1.1 000 No\r\n\r\n', seen: 502 },
  { name: 'half a head', bytes: 'HTTP/1.1 101 Go\r\nUpgra', seen: 502 },
  { name: 'nothing at all', bytes: '', seen: 502 },
];
