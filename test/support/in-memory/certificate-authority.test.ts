import { certificateAuthoritySuite } from '../../ports/certificate-authority.ts';
import { createInMemoryAuthority } from './certificate-authority.ts';

const given = new Map<string, string>();
const { authority, keys } = createInMemoryAuthority({
  answerOf: async (host, token) => given.get(`${host}/${token}`) ?? null,
  now: () => new Date(),
});
let hosts = 0;

certificateAuthoritySuite(() => ({
  ...{ authority, keys },
  answers: {
    put: async (host, token, answer) => void given.set(`${host}/${token}`, answer),
    remove: async (host, token) => void given.delete(`${host}/${token}`),
  },
  newHost: async () => {
    hosts += 1;
    return `host-${hosts}.example.com`;
  },
}));
