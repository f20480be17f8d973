/**
 * Runs HTTP tests in a container that has no network. RUN is `{socket, host, seconds, allSeconds, tests}` in JSON. Every
 * request goes through the Unix socket, which leads to the tested service and nowhere else; redirects are not followed.
 * Prints one line: a list of `{passed, message}` in JSON. A message holds nothing of an answer but its status.
 */
import { request } from 'node:http';

const { socket, host, seconds, allSeconds, tests } = JSON.parse(process.env.RUN ?? '{}');
const MOST_BYTES = 1024 ** 2;
const MOST_HEADERS = 16 * 1024;
const end = AbortSignal.timeout(allSeconds * 1_000);

const results = [];
for (const test of tests) results.push(await resultOf(test));
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));

async function resultOf(test) {
  const asked = `${test.method} ${test.path}`;
  if (end.aborted) return { passed: false, message: `${asked} was not asked: no time was left` };
  const signal = AbortSignal.any([end, AbortSignal.timeout(seconds * 1_000)]);
  try {
    const { status, body } = await ask(test, signal);
    const said = `${asked} answered ${status}`;
    const isExpected = test.expectStatus === null ? status >= 200 && status < 300 : status === test.expectStatus;
    if (!isExpected) return { passed: false, message: `${said}, expected ${test.expectStatus ?? '2xx'}` };
    if (test.expectBodyContains !== null && !body.includes(test.expectBodyContains)) {
      return { passed: false, message: `${said} without the expected text` };
    }
    return { passed: true, message: said };
  } catch (error) {
    const why = signal.aborted ? `did not answer within ${seconds} s` : `failed: ${error?.code ?? 'no answer'}`;
    return { passed: false, message: `${asked} ${why}` };
  }
}

async function ask({ method, path, headers, body }, signal) {
  const { promise, resolve, reject } = Promise.withResolvers();
  // Of GET, DELETE and OPTIONS node sends a body without its length, which a service takes for another request.
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  const own = { accept: '*/*', 'user-agent': 'fairlead-tests', ...headers, ...length, host, connection: 'close' };
  const options = { socketPath: socket, method, path, headers: own, agent: false, signal, maxHeaderSize: MOST_HEADERS };
  request(options, resolve)
    .once('error', reject)
    // One that switches protocols ends without an error.
    .once('close', reject)
    .end(body ?? undefined);
  const answer = await promise;
  const parts = [];
  let size = 0;
  for await (const part of answer) {
    parts.push(part);
    size += part.length;
    if (size >= MOST_BYTES) break;
  }
  answer.destroy();
  return { status: answer.statusCode, body: Buffer.concat(parts).toString('utf8') };
}
