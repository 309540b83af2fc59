import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Pages that name files of the repository in their text, besides their links. */
const GUIDES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'];

/** The pages of the root, and those of the folders that are read. */
const pages = ['.', 'docs', 'examples', 'bench', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => join(folder, file)),
);

function text(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
}

/** The anchor that a heading gets. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchors(page: string): string[] {
  return [...text(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));
}

/** Targets of links and pictures that lead to a file of the repository. */
function linksIn(page: string): string[] {
  const targets = [...text(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  return targets.map(([, link, attribute]) => link ?? attribute).filter((to) => !/^[a-z]+:/.test(to));
}

/**
 * Paths in backticks or bare: texts that begin with a folder of the root, without placeholders and
 * wildcards.
 */
function pathsIn(page: string): string[] {
  const path = /(?<![\w/.<-])(?:src|test|bench|examples|docs|\.ci|\.github)\/[\w./-]*[\w/](?![\w*<{-])/g;
  return [...new Set(text(page).match(path))];
}

describe('The pages of the repository', () => {
  for (const page of pages) {
    it(`lead from ${page} to files and headings that exist`, () => {
      const broken = linksIn(page).filter((link) => {
        const [path, anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchors(target).includes(anchor);
      });
      expect(broken).to.deep.equal([]);
    });

    it(`name in ${page} only npm scripts that exist`, () => {
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const source = readFileSync(join(root, page), 'utf8'); // with its commands
      const named = [...source.matchAll(/\bnpm run ([\w:]+)/g)].map(([, script]) => script);
      expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
    });
  }

  for (const page of GUIDES) {
    it(`name in ${page} only files that exist`, () => {
      const paths = pathsIn(page);
      expect(paths).to.not.be.empty;
      expect(paths.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
    });
  }
});
