/** The frame that both HTTP services share: access checks, body cap, coded errors, the address to listen on. */
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';
import { checkHostAndOrigin, checkToken, checkTokenPolicy } from './access.ts';
import { errorBody, HoneError } from './errors.ts';
import { serviceUrl } from './serviceUrl.ts';

/** A 5 MB prompt is answered (truncated, and said); more is refused. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** Paths that need no token: a supervisor must be able to ask whether the service is alive. */
const OPEN_PATHS = new Set(['/health']);

export interface ServiceOptions {
  /** Address to bind to. */
  host: string;
  /** Bearer token, or `none`. */
  token: string;
  logger: FastifyBaseLogger;
}

/** A fastify instance with the common checks; routes are added by the caller before `listen`. */
export function createService(options: ServiceOptions): FastifyInstance {
  checkTokenPolicy(options.token, options.host);
  const app = Fastify({
    loggerInstance: options.logger,
    bodyLimit: BODY_LIMIT_BYTES,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    // What is no URL reaches no hook and no error handler.
    frameworkErrors(error, _, reply) {
      sendError(toHoneError(error), reply);
    },
  });
  app.addHook('onRequest', async (request) => {
    checkHostAndOrigin(request.headers, options.host);
    const path = request.url.split('?')[0]!;
    if (!OPEN_PATHS.has(path)) checkToken(request.headers, options.token);
  });
  app.setErrorHandler((error: FastifyError | HoneError, request, reply) => {
    const coded = toHoneError(error);
    if (coded.status >= 500) request.log.error({ err: error, code: coded.code }, coded.message);
    return sendError(coded, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const coded = new HoneError(
      'not_found',
      `There is no ${request.method} ${request.url.split('?')[0]!} here.`,
    );
    return sendError(coded, reply);
  });
  return app;
}

/** Starts to listen and returns the base address. `option` is the setting to change when the port is taken. */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  option: string,
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port, option);
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return serviceUrl(host, address.port);
}

function listenError(error: unknown, host: string, port: number, option: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE' || code === 'EACCES') {
    const why = code === 'EACCES' ? 'may not be used by this account' : 'is in use by another program';
    return new HoneError(
      'port_in_use',
      `Port ${port} on ${host} ${why}. End that program or choose another port with ${option} (0 picks a free one).`,
      { param: option, cause: error },
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new HoneError('address_unavailable', `This machine has no address ${host}. Change --host.`, {
      param: '--host',
      cause: error,
    });
  }
  return error;
}

function sendError(error: HoneError, reply: FastifyReply): FastifyReply {
  return reply.status(error.status).send(errorBody(error));
}

function toHoneError(error: FastifyError | HoneError): HoneError {
  if (error instanceof HoneError) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HoneError(
        'body_too_large',
        `The body is larger than ${BODY_LIMIT_BYTES} bytes. Send less text.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HoneError('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new HoneError('invalid_json', `The body is not JSON: ${error.message}`);
  }
  if (error instanceof SyntaxError)
    return new HoneError('invalid_json', `The body is not JSON: ${error.message}`);
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new HoneError('invalid_request', error.message);
  }
  return new HoneError('internal', `Unexpected error: ${error.message}. The log has the details.`, {
    cause: error,
  });
}
