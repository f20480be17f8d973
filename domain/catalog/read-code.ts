/** The files of an app; paths are relative to its folder. A file that cannot be read is null. */
export interface CodeFiles {
  list(folder: string): Promise<readonly string[]>;
  readText(path: string): Promise<string | null>;
}

/** Where code lies that runs: not that of tests, nor settings of tools. */
const FOLDERS = ['app', 'bin', 'lib', 'server', 'src'];
const CODE = /^[\w.@-]{1,100}\.[cm]?[jt]sx?$|^www$/;
const NOT_RUN = /\.(?:d|test|spec|stories|config)\.[cm]?[jt]sx?$|^\./;
const NOT_RUN_FOLDER = /^(?:__\w+__|tests?|e2e|fixtures|mocks|node_modules)$/;
const MAX_DEPTH = 5;
const MAX_FILES = 200;
const MAX_FOLDERS = 60;

/** Texts of the code that runs of an app, of its first {@link MAX_FILES} files, those of its top folder first. */
export async function* readCode(files: CodeFiles, root: readonly string[]): AsyncGenerator<string, void, undefined> {
  const code = root.filter(isCode);
  const folders = FOLDERS.filter((folder) => root.includes(folder)).map((path) => ({ path, depth: 1 }));
  for (let at = 0; at < Math.min(folders.length, MAX_FOLDERS) && code.length < MAX_FILES; at += 1) {
    const { path, depth } = folders[at] ?? { path: '', depth: MAX_DEPTH };
    const names = await files.list(path);
    code.push(...names.filter(isCode).map((name) => `${path}/${name}`));
    const below = names.filter((name) => depth < MAX_DEPTH && !name.includes('.') && !NOT_RUN_FOLDER.test(name));
    folders.push(...below.slice(0, MAX_FOLDERS).map((name) => ({ path: `${path}/${name}`, depth: depth + 1 })));
  }
  for (const path of code.slice(0, MAX_FILES)) {
    const text = await files.readText(path);
    if (text !== null) yield text;
  }
}

const isCode = (name: string): boolean => CODE.test(name) && !NOT_RUN.test(name);
