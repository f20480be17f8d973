import { isReservedVariable } from '../config/variable-names.ts';
import { CUT_MARK, cutBeforeRedaction } from '../logs/cut-line.ts';
import type { FailedAt, FailureClass } from './failure-class.ts';
import { INSTALL_FAILURES } from './install-failures.ts';
import { type KnownDatabases, MISSING_VARIABLE, missingVariables, settingThem } from './missing-variables.ts';
import { REFUSED_WRITE } from './refused-write.ts';
import { UNREACHABLE_DATABASE } from './unreachable-database.ts';

/**
 * The most telling first. A program prints what its author chose, so that a remedy is a good guess: it stands above the
 * lines it was made of. It quotes whole words without control characters, so that it stays one line of ours, and
 * redaction finds a secret in it.
 */
const FAILURES: readonly FailureClass[] = [
  {
    printed: /ran out of memory|heap out of memory|OOMKilled|\bSIGKILL\b|exit code:? 137|non-zero code: 137/,
    remedies: {
      start: () =>
        'It needs more memory than its tier has: declare a larger platform.io/pod-tier in catalog-info.yaml, such as small (512 MiB) or medium (1 GiB).',
      build: () =>
        'The build needs more memory than it may have: BUILD_MEMORY_BYTES of the platform sets how much; for Node, NODE_OPTIONS=--max-old-space-size bounds what it takes.',
    },
  },
  ...INSTALL_FAILURES,
  {
    printed: /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported/,
    remedies: Object.fromEntries(
      (['build', 'start'] as const).map((at) => [
        at,
        () =>
          'A package uses MD4, which the OpenSSL of this Node.js has only among its old algorithms, as webpack before 5.61 does: update it, or put NODE_OPTIONS=--openssl-legacy-provider before the command of that script in package.json.',
      ]),
    ),
  },
  {
    printed: MISSING_VARIABLE,
    remedies: {
      start: ({ input }, known) => {
        const names = missingVariables(input);
        return `${names.length === 1 ? `The variable ${names[0]} is` : `The variables ${names.join(', ')} are`} not set. ${settingThem(names, known)}`;
      },
      build: ({ input }) => {
        const names = missingVariables(input);
        const own = names.filter((name) => !isReservedVariable(name));
        const reserved = names.filter(isReservedVariable);
        const needs = `The build needs ${own.length === 1 ? `the variable ${own[0]}: name it` : `the variables ${own.join(', ')}: name them`} in platform.io/env-vars in catalog-info.yaml. ${settingThem(own)}`;
        const later = `The platform gives ${reserved.join(', ')} to a service when it starts, and not to builds: read it then.`;
        return [...(own.length === 0 ? [] : [needs]), ...(reserved.length === 0 ? [] : [later])].join(' ');
      },
    },
  },
  UNREACHABLE_DATABASE,
  {
    printed: /EHOSTUNREACH|no route to host|host is unreachable/i,
    remedies: {
      start: () =>
        'Services reach the internet alone: for an address of your own network, the operator names it in WORKLOAD_NETWORKS.',
    },
  },
  {
    printed: /EADDRINUSE[^\n]*?(\d+)?$/m,
    remedies: {
      start: () =>
        'Its port is taken by another program of the same container: start one server alone, on the port in the variable PORT.',
    },
  },
  REFUSED_WRITE,
  {
    printed: /error TS\d+:|^\s*Type error:|\bTypeScript error\b|Found \d+ errors? in /m,
    remedies: {
      build: () =>
        'TypeScript finds errors in the source: correct them; your build script shows the same on your machine.',
      start: () => 'TypeScript finds errors in the source: correct them.',
    },
  },
  {
    printed:
      /Cannot find module '([^'\s\p{C}]{1,200})'|Cannot find package '([^'\s\p{C}]{1,200})'|Can't resolve '([^'\s\p{C}]{1,200})'|failed to resolve import "([^"\s\p{C}]{1,200})"/u,
    remedies: {
      start: (found) => missingModule(firstGroup(found)),
      build: (found) => missingModule(firstGroup(found)),
    },
  },
  {
    printed: /(?:^|: )(?:\d+: )?([\w@./-]+): (?:command )?not found$/m,
    remedies: {
      start: (found) =>
        `The command ${firstGroup(found)} is not in the image: add its package to dependencies (not devDependencies) in package.json.`,
      build: (found) =>
        `The command ${firstGroup(found)} is not there while building: add its package to package.json.`,
    },
  },
  {
    printed:
      /(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET)\b|getaddrinfo|fetch failed|Failed to fetch|Could not resolve host|network (?:is unreachable|timeout|request)|tunneling socket|Unable to connect to/i,
    remedies: {
      build: () =>
        'The build asks an address that does not answer: builds reach package registries and public hosts, by a proxy alone; retry if it was away for a moment, else fetch it when the service starts.',
      start: () =>
        'An address it asks when it starts does not answer: check the address, and what it does without an answer.',
    },
  },
];

/** What is read of an output: its patterns are for lines that people read, and long ones would keep the worker busy. */
const MOST_LINES = 60;
const MOST_CHARACTERS = 500;

/**
 * What to do about a failure, by what its program printed last, in one line; null when the lines tell no known cause.
 * @param lines raw or redacted, any number
 * @param known of the databases of the service that failed; null where nothing is
 */
export function remedyOf(
  failedAt: FailedAt,
  lines: readonly string[],
  known: KnownDatabases | null = null,
): string | null {
  const text = lines
    .slice(-MOST_LINES)
    .map((line) => withoutCutWord(cutBeforeRedaction(line, MOST_CHARACTERS)))
    .join('\n');
  for (const { printed, remedies } of FAILURES) {
    const found = remedies[failedAt] === undefined ? null : printed.exec(text);
    if (found !== null) return remedies[failedAt]?.(found, known) ?? null;
  }
  return null;
}

/** A word before the mark may be the beginning of a secret, which redaction could not find in a remedy. */
function withoutCutWord(line: string): string {
  return line.endsWith(CUT_MARK) ? line.slice(0, -CUT_MARK.length).replace(/(?<!\S)\S+$/, '') : line;
}

function firstGroup([, ...groups]: RegExpExecArray): string {
  return groups.find((group) => group !== undefined) ?? '';
}

/** A path is a file of the source or of its build, a name that of a package. */
function missingModule(name: string): string {
  if (/^[./]|^file:/.test(name)) {
    return `The file ${name} is not in the image: a build script makes it that did not run, or .gitignore or .dockerignore leaves it out, or its name differs in upper and lower case.`;
  }
  return `The package ${name} is not installed: add it to dependencies (not devDependencies) in package.json.`;
}
