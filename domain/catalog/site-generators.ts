/** A tool that makes a site of files. */
export interface SiteGenerator {
  /** The package by which a manifest shows that it is used. */
  readonly package: string;
  /** Command that builds where there is no build script. */
  readonly build: string;
  /** Folder that it builds into when nothing says otherwise. */
  readonly output: string;
  /** The name of its settings file. */
  readonly config: RegExp;
  /** What names another folder in the settings, in its first group. */
  readonly setting: RegExp;
  /** What names another folder in the build command, in its first group. */
  readonly flag: RegExp;
  /** What names the path below which the site expects to be, in its first group; null when it has none. */
  readonly base: RegExp | null;
  /** What names the folder of its pages in the build command, in its first group, where it builds into that folder. */
  readonly root?: RegExp;
  /** True where the pages of the site are made in the browser, so that each path is answered with the one page. */
  readonly singlePage: boolean;
}

const NONE = /$^/;
const configOf = (name: string): RegExp => new RegExp(`^${name}\\.config\\.[cm]?[jt]s$`);
const FLAG = /(?:--out-?[dD]ir|--output|--dist-dir|-o)[= ]["']?([\w./@-]+)/;
const BASE = /\bbase:\s*["'](\/[\w./-]*)["']/;

/** Each with its own folder, the more telling first: several are built on vite or webpack. */
export const SITE_GENERATORS: readonly SiteGenerator[] = [
  {
    package: '@docusaurus/core',
    build: 'docusaurus build',
    output: 'build',
    config: configOf('docusaurus'),
    setting: NONE,
    flag: FLAG,
    base: /\bbaseUrl:\s*["'](\/[\w./-]*)["']/,
    singlePage: false,
  },
  {
    package: 'gatsby',
    build: 'gatsby build',
    output: 'public',
    config: configOf('gatsby'),
    setting: NONE,
    flag: NONE,
    base: null,
    singlePage: false,
  },
  {
    package: 'astro',
    build: 'astro build',
    output: 'dist',
    config: configOf('astro'),
    setting: /\boutDir:\s*["']([\w./@-]+)["']/,
    flag: /--outDir[= ]["']?([\w./@-]+)/,
    base: BASE,
    singlePage: false,
  },
  {
    package: '@11ty/eleventy',
    build: 'eleventy',
    output: '_site',
    config: /^(?:\.eleventy|eleventy\.config)\.[cm]?js$/,
    setting: /(?:\boutput:\s*|setOutputDirectory\(\s*)["']([\w./@-]+)["']/,
    flag: FLAG,
    base: null,
    singlePage: false,
  },
  {
    package: 'vitepress',
    build: 'vitepress build',
    output: '.vitepress/dist',
    config: NONE,
    setting: NONE,
    flag: FLAG,
    base: null,
    root: /\bvitepress build (?:-\S+ )*([\w.][\w./-]*)/,
    singlePage: false,
  },
  {
    package: 'vuepress',
    build: 'vuepress build',
    output: '.vuepress/dist',
    config: NONE,
    setting: NONE,
    flag: /(?:--dest|-d)[= ]["']?([\w./@-]+)/,
    base: null,
    root: /\bvuepress build (?:-\S+ )*([\w.][\w./-]*)/,
    singlePage: false,
  },
  {
    package: 'hexo',
    build: 'hexo generate',
    output: 'public',
    config: NONE,
    setting: NONE,
    flag: NONE,
    base: null,
    singlePage: false,
  },
  {
    package: 'react-scripts',
    build: 'react-scripts build',
    output: 'build',
    config: NONE,
    setting: NONE,
    flag: /BUILD_PATH=["']?([\w./@-]+)/,
    base: null,
    singlePage: true,
  },
  {
    package: '@angular/core',
    build: 'ng build',
    output: 'dist',
    config: NONE,
    setting: NONE,
    flag: /--output-path[= ]["']?([\w./@-]+)/,
    base: null,
    singlePage: true,
  },
  {
    package: '@vue/cli-service',
    build: 'vue-cli-service build',
    output: 'dist',
    config: configOf('vue'),
    setting: /\boutputDir:\s*["']([\w./@-]+)["']/,
    flag: /--dest[= ]["']?([\w./@-]+)/,
    base: /\bpublicPath:\s*["'](\/[\w./-]*)["']/,
    singlePage: true,
  },
  {
    package: '@sveltejs/adapter-static',
    build: 'vite build',
    output: 'build',
    config: configOf('svelte'),
    setting: /\bpages:\s*["']([\w./@-]+)["']/,
    flag: NONE,
    base: null,
    singlePage: false,
  },
  {
    package: 'parcel',
    build: 'parcel build index.html',
    output: 'dist',
    config: NONE,
    setting: NONE,
    flag: FLAG,
    base: null,
    singlePage: true,
  },
  {
    package: 'vite',
    build: 'vite build',
    output: 'dist',
    config: configOf('vite'),
    setting: /\boutDir:\s*(?:path\.(?:resolve|join)\(\s*__dirname\s*,\s*)?["']([\w./@-]+)["']/,
    flag: FLAG,
    base: BASE,
    singlePage: true,
  },
  {
    package: 'webpack',
    build: 'webpack --mode production',
    output: 'dist',
    config: configOf('webpack'),
    setting: /\bpath:\s*path\.(?:resolve|join)\(\s*__dirname\s*,\s*["']([\w./@-]+)["']/,
    flag: NONE,
    base: null,
    singlePage: true,
  },
];

/** Packages that make a server of what is else a site. */
const SERVER_PACKAGES = [
  '@astrojs/node',
  '@sveltejs/adapter-node',
  '@remix-run/serve',
  '@react-router/serve',
  'nuxt',
  '@nestjs/core',
];

/** SvelteKit's choice of an adapter by what the host says of itself, and the adapter that makes a site all the same. */
const ADAPTER_BY_HOST = '@sveltejs/adapter-auto';
const ADAPTER_OF_SITES = '@sveltejs/adapter-static';

/** A command that runs a program of the app, and not a tool that shows its files. */
const RUNS_PROGRAM =
  /^(?:(?:[^\s=]+=\S+|cross-env|npx|exec|dotenv)\s+)*(?:node|nodemon|pm2-runtime|tsx|ts-node|ts-node-dev|tsnd|bun|koa|nest|fastify)\s/;
/** And one that runs another script: `npm run serve`, `yarn serve`. */
const RUNS_SCRIPT = /^(?:npm run|(?:yarn|pnpm|bun)(?: run)?)\s+([\w:.-]{1,100})$/;
/** Scripts may call one another in a circle. */
const MAX_SCRIPTS = 8;

/** The tool that makes the site of an app with these packages; null where there is none, or where it makes a server. */
export function siteGenerator(dependencies: ReadonlySet<string>): SiteGenerator | null {
  if (SERVER_PACKAGES.some((name) => dependencies.has(name)) || choosesAdapter(dependencies)) return null;
  return SITE_GENERATORS.find((generator) => dependencies.has(generator.package)) ?? null;
}

/** True for an app of SvelteKit that leaves the choice of its adapter to the host: it is built as a server. */
export function choosesAdapter(dependencies: ReadonlySet<string>): boolean {
  return dependencies.has(ADAPTER_BY_HOST) && !dependencies.has(ADAPTER_OF_SITES);
}

/**
 * True for an app that has a program of its own: a command of its start script runs one, or the last does by another script.
 * One that runs before a tool shows the files may be what makes them.
 */
export function runsProgram(scripts: Readonly<Record<string, string>>): boolean {
  let line = scripts.start;
  for (let depth = 0; depth < MAX_SCRIPTS && line !== undefined; depth += 1) {
    const commands = line.split(/&&|;/).map((command) => command.trim());
    const called = RUNS_SCRIPT.exec(commands.at(-1) ?? '')?.[1] ?? '';
    const isOther = scripts[called] !== undefined;
    if ((isOther ? commands.slice(0, -1) : commands).some((command) => RUNS_PROGRAM.test(command))) return true;
    line = scripts[called];
  }
  return false;
}
