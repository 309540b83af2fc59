// What goes wrong in an answer of the inspector ends no process: it is a 500, and goes to the owner.
// And the page is part of a bundle.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { stub } from 'sinon';
import { Purgatory } from '../../../../src/index.ts';
import type { History } from '../../../../src/observe/inspector/frame.ts';
import { createInspector } from '../../../../src/observe/inspector/index.ts';
import { type Inspector, inspectorOn } from '../../../../src/observe/inspector/inspector.ts';
import { FakeHost } from '../../../observe/inspector/fake-host.ts';
import { mount, serve } from '../../../observe/inspector/mount.ts';
import { runNode } from '../../../support/child.ts';
import type { Op } from '../../../support/op.ts';
import { Watcher } from './stream.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('an answer of the inspector that goes wrong', () => {
  const no = new Error('no sources');
  let fetches: Purgatory<string, Op>;
  let fails: boolean;
  let errors: unknown[];
  let host: FakeHost;
  let inspector: Inspector;
  const purgatories = (): Purgatory<string, Op>[] => {
    if (fails) throw no;
    return [fetches];
  };

  beforeEach(() => {
    fetches = new Purgatory('fetch');
    fails = false;
    errors = [];
    host = new FakeHost(0);
  });

  afterEach(async () => {
    await inspector.close();
    fetches.close();
  });

  it('is a 500 and goes to onError, at each address that reads the sources, mounted or not', async () => {
    inspector = createInspector({ purgatories, history: false, onError: (error) => errors.push(error) });
    await using server = await mount(inspector);
    const url = await inspector.listen();
    fails = true;
    for (const base of [url, server.at('/')]) {
      for (const address of ['events', 'keys?text=a&search', 'operation?id=1']) {
        const answer = await fetch(new URL(address, base));
        expect([answer.status, await answer.text()]).to.deep.equal([
          500,
          'The inspector could not read what it shows.\n',
        ]);
      }
      expect((await fetch(new URL('', base))).status).to.equal(200);
    }
    expect(errors).to.deep.equal(Array(6).fill(no));
  });

  it('ends the stream, which can be opened again once the sources can be read', async () => {
    inspector = inspectorOn(host, { purgatories, history: false, onError: (error) => errors.push(error) });
    const url = await inspector.listen();
    await using watcher = await Watcher.open(url);
    fails = true;
    await host.advance(1_000); // nobody watches after the first frame of it, so nothing more is read
    await once(watcher.response, 'close');
    expect(errors).to.deep.equal([no]);
    fails = false;
    await using again = await Watcher.open(url);
    expect((await again.next()).purgatories[0].name).to.equal('fetch');
  });

  it('leaves a second out of the history', async () => {
    inspector = inspectorOn(host, { purgatories, onError: (error) => errors.push(error) });
    const url = await inspector.listen();
    await host.advance(1_000);
    fails = true;
    await host.advance(1_000);
    expect(errors).to.deep.equal([no]);
    fails = false;
    await host.advance(1_000);
    const { seconds } = (await (await fetch(new URL('history', url))).json()) as History;
    expect(seconds.map(({ number }) => number)).to.deep.equal([1, 2]);
  });

  it('is a warning of the process without onError, once where it repeats', async () => {
    const warn = stub(process, 'emitWarning');
    inspector = createInspector({ purgatories, history: false });
    const url = await inspector.listen();
    fails = true;
    try {
      for (const _ of [1, 2]) expect((await fetch(new URL('events', url))).status).to.equal(500);
    } finally {
      warn.restore();
    }
    expect(warn.args).to.deep.equal([
      [
        'The inspector could not read what it shows: Error: no sources',
        { type: 'PurgatoryWarning', code: 'PURGATORY_INSPECTOR_FAILED' },
      ],
    ]);
  });

  it('throws nothing into a server that has answered already', async () => {
    inspector = createInspector({ purgatories, history: false, onError: (error) => errors.push(error) });
    await using server = await serve((request, response) => {
      response.end('mine');
      inspector.handle(request, response);
    });
    expect(await (await fetch(server.at('/'))).text()).to.equal('mine');
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]).to.have.property('code', 'ERR_HTTP_HEADERS_SENT');
  });
});

describe('an inspector that esbuild has bundled', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'purgatory-inspector-'));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const SCRIPT = `
    import { Purgatory } from 'purgatory';
    import { createInspector } from 'purgatory/inspector';
    const inspector = createInspector({ purgatories: [new Purgatory('fetch')] });
    inspector.listen().then(async (url) => {
      const answer = await fetch(url);
      console.log(answer.status, (await answer.text()).includes('<title>Purgatory inspector</title>'));
      await inspector.close();
    });`;

  for (const format of ['esm', 'cjs'] as const) {
    it(`has its page inside, as ${format}`, async () => {
      const outfile = join(folder, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
      const { warnings } = await build({
        stdin: { contents: SCRIPT, resolveDir: root },
        outfile,
        format,
        bundle: true,
        minify: true,
        platform: 'node',
        logLevel: 'silent',
      });
      expect(warnings).to.deep.equal([]);
      const ended = await runNode([outfile], { cwd: folder });
      expect(ended).to.deep.equal({ code: 0, signal: null, stdout: '200 true\n', stderr: '' });
    });
  }
});
