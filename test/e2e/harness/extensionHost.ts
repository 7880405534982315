import type { BrowserContext } from 'playwright-core';
import type { WorkbenchServer } from './server.ts';

/** Option of the server without which a page can't run tests in the extension host. */
export const TEST_DRIVER_OPTION = 'enable-smoke-test-driver';

/**
 * Runs the module at `suite` (it exports `run()`) inside the extension host of a new window, beside the installed
 * extensions. `runner` is a folder with a manifest that carries it. Throws with what the suite printed when it fails.
 */
export async function runInExtensionHost(
  browser: BrowserContext,
  server: WorkbenchServer,
  options: { workspace: string; runner: string; suite: string; limitMs: number },
): Promise<void> {
  const page = await browser.newPage();
  const printed: string[] = [];
  const ended = new Promise<number>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`No end after ${options.limitMs} ms.\n${printed.join('\n')}`)),
      options.limitMs,
    );
    void page.exposeFunction('codeAutomationExit', (code: number) => {
      clearTimeout(late);
      resolve(code);
    });
  });
  await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
    if (type === 'error') printed.push(args.map(String).join(' '));
  });
  const uri = (path: string): string => `vscode-remote://127.0.0.1:${server.port}${path}`;
  const payload = [
    ['extensionDevelopmentPath', uri(options.runner)],
    ['extensionTestsPath', uri(options.suite)],
  ];
  const query = new URLSearchParams({ folder: options.workspace, payload: JSON.stringify(payload) });
  await page.goto(`http://127.0.0.1:${server.port}/?${query.toString()}`);
  const code = await ended;
  await page.close();
  if (code !== 0)
    throw new Error(
      `The suite in the extension host failed with ${code}.\n${printed.join('\n').slice(-3000)}`,
    );
}
