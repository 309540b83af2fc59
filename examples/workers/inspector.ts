// The inspector of one process. Ground rules: workers share the ports that they listen on. This
// port must be the process's own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInspector, type InspectorOptions } from 'purgatory/inspector';

/** Serves it on loopback, at a free port. Returns the address and a function that ends it. */
export async function serveInspector(options: InspectorOptions): Promise<{ url: string; close(): void }> {
  const inspector = createInspector(options);
  const server = createServer((request, response) => {
    if (!inspector.handle(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      void inspector.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
