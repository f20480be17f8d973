/** In a network of its own: asks a relay for as many long names as it keeps, as many clients, and says what became of it. */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const [program, clients, names] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const WINDOW = 64;

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const flags = ['--max-old-space-size=16', '--jitless', program];
const relay = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
relay.once('exit', () => {
  console.log('the relay ended');
  process.exit();
});
await once(relay.stdout, 'data');
let answered = 0;
for (let client = 0; client < clients; client += 1) answered += await askAll(`127.1.0.${client + 1}`);
console.log(`answers: ${answered}`);
relay.removeAllListeners('exit').kill();

async function askAll(address) {
  const socket = createSocket('udp4').bind(0, address);
  await once(socket, 'listening');
  let answers = 0;
  for (let asked = 0; asked < names; asked += WINDOW) {
    const all = Promise.withResolvers();
    let left = WINDOW;
    const take = () => {
      left -= 1;
      answers += 1;
      if (left === 0) all.resolve();
    };
    socket.on('message', take);
    for (let index = 0; index < WINDOW; index += 1) socket.send(question(asked + index), 53, '127.0.0.1');
    await all.promise;
    socket.off('message', take);
  }
  socket.close();
  return answers;
}

function question(number) {
  const labels = ['x', 'x', 'x', String(number)].map((text) => {
    return Buffer.concat([Buffer.from([60]), Buffer.from(text.padEnd(60, 'z'))]);
  });
  const header = Buffer.from([1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
}
