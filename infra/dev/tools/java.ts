import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

const OLDEST_JAVA = 11;

export interface MavenArtifact {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
}

/** @throws Error when there is no Java of version 11 or later on PATH. */
export async function requireJava(): Promise<void> {
  const output = await runProgram('java', ['-version'], { timeoutMs: 20_000 });
  const major = Number(/version "(\d+)/.exec(output)?.[1] ?? 0);
  if (major < OLDEST_JAVA) throw new Error(`needs Java ${OLDEST_JAVA} or later, found ${output.split('\n')[0]}`);
}

/** Copies artifacts and everything they need at run time into `folder/lib`. Needs Maven; it checks its own downloads. */
export async function copyJars(folder: string, artifacts: readonly MavenArtifact[]): Promise<void> {
  const dependencies = artifacts.map(
    ({ group, artifact, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  const pom = join(folder, 'pom.xml');
  await writeFile(
    pom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>fairlead</groupId>
<artifactId>jars</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`,
  );
  const target = join(folder, 'lib');
  await runProgram('mvn', [
    '-q',
    '-B',
    '-C',
    '-f',
    pom,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${target}`,
  ]);
}

/** Writes the executable that runs a main class with the jars beside it. */
export async function writeLauncher(path: string, javaFlags: readonly string[], mainClass: string): Promise<void> {
  const script = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
exec java ${javaFlags.join(' ')} -cp "$here/classes:$here/lib/*" ${mainClass} "$@"
`;
  await writeFile(path, script, { mode: 0o755 });
}

/** True when all of it is there: a launcher alone says nothing about its jars. */
export async function probeLauncher(path: string): Promise<void> {
  await requireJava();
  await runProgram('sh', ['-c', 'ls "$(dirname "$1")"/lib/*.jar', 'sh', path]);
}
