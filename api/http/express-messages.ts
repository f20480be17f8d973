import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';

/** The two prototypes that Express gives to the messages of Node: not in its published types. */
interface WithMessagePrototypes {
  readonly request: object;
  readonly response: object;
}

type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Server options by which requests and replies are made with Express's prototypes. Express would otherwise put them
 * under objects that exist already, which takes them out of everything the engine has optimized.
 */
export function expressMessages(listener: RequestListener): Messages {
  if (!hasMessagePrototypes(listener)) return {};
  return {
    IncomingMessage: madeAs(IncomingMessage, listener.request),
    ServerResponse: madeAs(ServerResponse, listener.response),
  } as Messages;
}

function hasMessagePrototypes(listener: object): listener is WithMessagePrototypes {
  return 'request' in listener && 'response' in listener;
}

/** The constructor whose objects are made by `Base` and have that prototype from the first. */
function madeAs(Base: typeof IncomingMessage | typeof ServerResponse, prototype: object): object {
  function Made(...args: unknown[]): object {
    return Reflect.construct(Base, args, Made) as object;
  }
  Made.prototype = prototype;
  return Made;
}
