/** A manifest or page that names the image by one version, with another in its place: `splwright:0.2.0`, kustomize's `newTag: 0.2.0`, or a build's `VERSION=0.2.0`. */
export function withImageVersion(manifest: string, from: string, to: string): string {
  return manifest
    .replaceAll(`splwright:${from}`, `splwright:${to}`)
    .replaceAll(`newTag: ${from}`, `newTag: ${to}`)
    .replaceAll(`VERSION=${from}`, `VERSION=${to}`);
}
