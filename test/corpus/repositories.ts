import type { Framework } from '../../domain/catalog/catalog.ts';

/** What somebody outside of the repository must give before it can run. */
export const OUTSIDE = ['a database', 'the internet', 'variables', 'Cloudflare Workers'] as const;
/** What its author must change before it can run on any host of containers. */
export const FAULTS = ['another folder to write to', 'a missing file'] as const;

export type Need = (typeof OUTSIDE)[number] | (typeof FAULTS)[number];

/** A public repository, and what deploying it as it is should come to. */
export interface CorpusRow {
  /** `owner/name` on the public code host. */
  readonly repository: string;
  readonly commit: string;
  /** The app's folder inside it. */
  readonly directory?: string;
  /** The closest of ours: a plain Node.js server stands with express. */
  readonly framework: Framework;
  /** `live`, or what the person must be able to read when it does not go live. */
  readonly expected: 'live' | RegExp;
  /** What it needs that a first deploy of it as it is does not have; absent for nothing. */
  readonly needs?: Need;
  /** A piece of its first page that only the built app has. */
  readonly shows?: RegExp;
}

/** Hello-worlds, official examples and real applications, eight of each framework at least. */
export const CORPUS: readonly CorpusRow[] = [
  {
    repository: 'render-examples/express-hello-world',
    commit: '59bb07278c918ac8798e2532b4251f7c34e365f5',
    framework: 'express',
    expected: 'live',
    shows: /Hello from Render/,
  },
  {
    repository: 'digitalocean/sample-nodejs',
    commit: '2bb2580764a0f98aeecc8c4cf8a9f70a7a4bf254',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'koyeb/example-expressjs',
    commit: 'fb9b4515bb50323686d7d16444f8a9510961d87a',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'railwayapp-templates/expressjs',
    commit: 'd3a671d7a13de103bed6ba7d19ef20a21a4b11f7',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'johnpapa/node-hello',
    commit: '644af407918d4b25c9c7dc3874abca83bf17b831',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'docker/getting-started-app',
    commit: 'f2d13b8483f33e7dc6255014cbfd4b528d60bc22',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'w3cj/express-api-starter-ts',
    commit: 'c46ad4526400e0ae6640fdaa94d037aa7573600c',
    framework: 'express',
    expected: 'live',
  },
  {
    repository: 'gothinkster/node-express-realworld-example-app',
    commit: '30b68e1e881462b2f4164ea09ab4c4f5699c7b0b',
    framework: 'express',
    // Without the internet, the client of Prisma cannot be made.
    expected: /DATABASE_URL|database|binaries\.prisma\.sh/,
    needs: 'a database',
  },
  {
    repository: 'hagopj13/node-express-boilerplate',
    commit: '179ae84efec61b14206d0305d941daed6c6d07f9',
    framework: 'express',
    expected: /MONGODB_URL|Mongo/,
    needs: 'a database',
  },
  {
    repository: 'render-examples/fastify-hello-world',
    commit: '4f82c7ea5645d57ffa3f981b2904697be95faa00',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'railwayapp-templates/fastify',
    commit: 'f51f51fa21d240f21a6ec669e32c345556c89467',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'EastSun5566/typescript-fastify-starter',
    commit: '8772bbb07d10e4109a70ced61612bd880567b3bf',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'yonathan06/fastify-typescript-starter',
    commit: '242d18e7dd4fed6cb4a672089eac37e265de0751',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'bahmutov/fastify-example',
    commit: '9a724f765a15f84342c170b96bb3a085c4f36abf',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'koyeb/example-fastify',
    commit: '919b35884e6c17b5aaff8eb7f971fe223f94d6b0',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'matschik/fastify-typescript-starter',
    commit: '21164e2750aa9c77038c0ba3855819809a2c0bf2',
    framework: 'fastify',
    expected: 'live',
  },
  {
    repository: 'fastify/demo',
    commit: '1f50cc1dc6c22c27da937eb96a0ce048ebab23a9',
    framework: 'fastify',
    expected: /MYSQL|database/,
    needs: 'a database',
  },
  {
    repository: 'fastify/fastify-example-todo',
    commit: '7203a918010b8628e58a8f5da53b006e34871fc1',
    framework: 'fastify',
    expected: /[Mm]ongo|ECONNREFUSED|database/,
    needs: 'a database',
  },
  {
    repository: 'honojs/starter',
    commit: 'e0092e5f771e4895f93bd249d460b5905aa44216',
    directory: 'templates/nodejs',
    framework: 'hono',
    expected: 'live',
    shows: /Hello Hono/,
  },
  {
    repository: 'koyeb/example-hono',
    commit: '5ec0eb97795842c4064ea0d7d0819612d06b9619',
    framework: 'hono',
    expected: 'live',
  },
  {
    repository: 'asadahimeka/hono-nodejs-demo',
    commit: 'a7b2d646e1cc7794ab11ed29142fd144fd8cb9b7',
    framework: 'hono',
    expected: 'live',
  },
  {
    repository: 'collinstommy/hono-node',
    commit: '477b03ead0f8cffe8cfa87256def9a703c7a7279',
    framework: 'hono',
    expected: 'live',
    shows: /Basic form/,
  },
  {
    repository: 'honojs/starter',
    commit: 'e0092e5f771e4895f93bd249d460b5905aa44216',
    directory: 'templates/bun',
    framework: 'hono',
    expected: 'live',
    shows: /Hello Hono/,
  },
  {
    repository: 'honojs/starter',
    commit: 'e0092e5f771e4895f93bd249d460b5905aa44216',
    directory: 'templates/cloudflare-workers',
    framework: 'hono',
    expected: /Workers|wrangler/,
    needs: 'Cloudflare Workers',
  },
  {
    repository: 'cmaas/hono-node-web-boilerplate',
    commit: '62975c1d38fafe44403b0117edee3dd4b76da44e',
    framework: 'hono',
    expected: /DB_PATH/,
    needs: 'variables',
  },
  {
    repository: 'w3cj/hono-open-api-starter',
    commit: '803d5edfb21f7fe5ecff35b62de36ea9413a47b0',
    framework: 'hono',
    expected: /DATABASE_URL|LOG_LEVEL/,
    needs: 'variables',
  },
  {
    repository: 'render-examples/nextjs-hello-world',
    commit: 'a0f64db8bea168f884fcc6b95ec4f795b4b850f3',
    framework: 'nextjs',
    expected: 'live',
  },
  {
    repository: 'digitalocean/sample-nextjs',
    commit: 'c91c91ec96fd22fcb494b433526fa32a3135072c',
    framework: 'nextjs',
    expected: 'live',
  },
  {
    repository: 'vercel/next-learn-starter',
    commit: 'c1abbdb54ca68da9fb02110cdc7dad144539eb93',
    directory: 'basics-final',
    framework: 'nextjs',
    expected: 'live',
  },
  {
    repository: 'vercel/next-learn',
    commit: '914a33426aac20f825ca52fae80b889302b92240',
    directory: 'dashboard/starter-example',
    framework: 'nextjs',
    // Readers of the course write it.
    expected: /app\/ui\/fonts|acme-logo/,
    needs: 'a missing file',
  },
  {
    repository: 'theodorusclarence/ts-nextjs-tailwind-starter',
    commit: '7083a0526711da294f2a6ea274cec1bf80797a14',
    framework: 'nextjs',
    expected: 'live',
  },
  {
    repository: 'vercel/next-react-server-components',
    commit: 'e5cdd8539f26b78b4dcb667a246cb98a0b3d4926',
    framework: 'nextjs',
    // Its pages are made of what another site answers during the build.
    expected: /address that does not answer/,
    needs: 'the internet',
  },
  {
    repository: 'railwayapp-templates/nextjs-basic',
    commit: '0992fcfebe16ff46e9383dcd932ebaaa7656297a',
    framework: 'nextjs',
    expected: /fonts|Google/,
    needs: 'the internet',
  },
  {
    repository: 'vercel/commerce',
    commit: '5542649d5b4700e80d2da9b40279af50bf451a75',
    framework: 'nextjs',
    // Without a shop behind it, its pages are empty.
    expected: 'live',
  },
  {
    repository: 'cloudacademy/static-website-example',
    commit: '00b7876cb6ca83e618d722e8061982be4202dd4d',
    framework: 'static',
    expected: 'live',
  },
  {
    repository: 'h5bp/html5-boilerplate',
    commit: 'b7e31d67f4cf83e23d51f4decc73618bf8bd77ba',
    framework: 'static',
    expected: 'live',
  },
  {
    repository: '11ty/eleventy-base-blog',
    commit: 'e37a55c4c4705d7881929de5242ec50448b5eb0b',
    framework: 'static',
    expected: 'live',
    shows: /<article|postlist|<h1/,
  },
  {
    repository: 'digitalocean/sample-react',
    commit: '52dc9d3c6f6f9705cfbaa94511baa4cc6b5a62ca',
    framework: 'static',
    expected: 'live',
    shows: /static\/js\/main/,
  },
  {
    repository: 'render-examples/create-react-app',
    commit: '4d5018038d5c40e19752567e7a0d1086a6d70b5b',
    framework: 'static',
    expected: 'live',
    shows: /static\/js/,
  },
  {
    repository: 'render-examples/gatsby-starter-default',
    commit: '10c1bccf7a4467dc9fb3133043c01aafcf26b97d',
    framework: 'static',
    // Its sharp fetches a library from the code host, which the package registries do not have.
    expected: /sharp/,
    needs: 'the internet',
  },
  {
    repository: 'withastro/blog-tutorial-demo',
    commit: '7d3ef9b3c5910b4b6d830c8e359771e67a01ebf9',
    framework: 'static',
    expected: 'live',
  },
  {
    repository: 'vuejs/create-vue-templates',
    commit: '4d799281841826ab45db924d626765e0efb2b2f1',
    directory: 'typescript-router',
    framework: 'static',
    expected: 'live',
    shows: /assets\/index/,
  },
];
