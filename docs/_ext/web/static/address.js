/** The name that the hash of an address gives; a percent sign that encodes nothing is one. */
function nameIn(hash) {
  const name = hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
