interface PageParts {
  /** Of the one script. */
  nonce: string;
  /** From where the editor serves local files. */
  source: string;
  /** Addresses of the bundle's files. */
  script: string;
  style: string;
}

/**
 * The dashboard's document. Its policy allows the bundled script by its nonce and style sheets of the editor's own
 * source; it can load nothing else, and reach nothing over the network.
 */
export function dashboardPage({ nonce, source, script, style }: PageParts): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Hone</title>
</head>
<body>
<main id="dashboard"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
