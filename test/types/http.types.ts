import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { MessagePort } from 'node:worker_threads';
import { expectTypeOf } from 'expect-type';
import type { Response } from 'express';
import type { FastifyReply } from 'fastify';
import { type BarrierResult, clientSignal, closeSignal, drained } from 'purgatory/http';
import type { WebSocket } from 'ws';

declare const ofHttp: ServerResponse;
declare const ofHttp2: Http2ServerResponse;
declare const ofExpress: Response;
declare const reply: FastifyReply;
declare const request: IncomingMessage;

expectTypeOf(clientSignal(ofHttp)).toEqualTypeOf<AbortSignal>();
expectTypeOf(clientSignal(ofHttp2)).toEqualTypeOf<AbortSignal>();
expectTypeOf(clientSignal(ofExpress)).toEqualTypeOf<AbortSignal>();
expectTypeOf(clientSignal(reply.raw)).toEqualTypeOf<AbortSignal>();
// @ts-expect-error it is `reply.raw` that closes
clientSignal(reply);
// @ts-expect-error a request closes when its body has been read
clientSignal(request);

declare const open: [Socket, ServerHttp2Stream, WebSocket, MessagePort];
for (const emitter of open) expectTypeOf(closeSignal(emitter)).toEqualTypeOf<AbortSignal>();
// @ts-expect-error it has no events
closeSignal({});

for (const stream of [ofHttp, ofHttp2, ofExpress, reply.raw, open[0], open[1]]) {
  expectTypeOf(drained(stream, { timeoutMs: 5 })).toEqualTypeOf<Promise<BarrierResult>>();
}
// @ts-expect-error a request is read
void drained(request);
