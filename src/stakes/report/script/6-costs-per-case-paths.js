
  // ---- costs per case of more classes or decisions: errors about one class, or its share
  const perCasePaths = () => {
    const [K, M] = [app.classes.length, app.decisions.length];
    const paths = each.paths.map((path) => ({ ...path, values: unpack(path.values), rules: path.rules.map((r) => r &&
      Object.fromEntries(Object.entries(r).map(([name, part]) => [name, unpack(part)]))) }));
    const rows = [...new Set(paths.map((path) => path.row))];
    const row = () => rows[rows.length > 1 ? Number($("class").value) : 0];
    const pathOf = (kind) => paths.find((path) => path.kind === kind && path.row === row());
    const zeros = app.classes.map(() => new Array(M).fill(0));
    const cells = (part, stop) => (part ? zeros.map((_, i) => Array.from(part.subarray((stop * K + i) * M, (stop * K + i + 1) * M))) : zeros);
    const compute = (path, stop) => {
      const moved = stop !== path.start;
      const value = path.values[stop];
      const factors = zeros.map((_, i) => (moved && path.kind === "factor" && i === path.row ? value : 1));
      const priors = moved && path.kind === "share"
        ? app.priors.map((p, i) => (i === path.row ? value : p * ((1 - value) / (1 - app.priors[path.row])))) : app.priors;
      const found = each.own.map((own, n) => {
        const r = moved ? path.rules[n] : null;
        return r ? { counts: cells(r.counts, stop), excess: cells(r.excess, stop), least: cells(r.least, stop) } : own;
      });
      const scale = priors.map((p, i) => (each.totals[i] ? (factors[i] * p) / each.totals[i] : 0));
      const constant = app.decisions.map((_, j) => total(scale.map((s, i) => s * each.always[i][j])));
      const chosen = least(constant);
      const nec = found.map(({ excess }) => total(scale.map((s, i) => s * total(excess[i]))) / constant[chosen]);
      return { path, stop, moved, value, factors, priors, found, naive: constant[chosen], nec, decision: app.decisions[chosen] };
    };
    const shownAs = (kind, value) => (kind === "factor" ? three(value) : rate(value));
    const abscissa = (path, value) => (path.kind === "factor" ? Math.log(value) : Math.log(value / (1 - value)));
    let payer = null;
    let last = "factor";
    const pay = ({ factors, priors, found }) => {
      if (!$("payer")) return;
      const { counts, excess, least: cheapest } = found[Number($("payer").value)];
      payers(priors, counts, excess.map((line, i) => line.map((e, j) =>
        (each.totals[i] ? (priors[i] * (factors[i] * e + cheapest[i][j])) / each.totals[i] : 0))));
    };
    const show = () => {
      const scale = typed("scale") > 0 ? typed("scale") : 1;
      const now = compute(pathOf(last), Number($(last).value));
      const rescales = scale !== 1 || volume() !== app.volume;
      leave(now.moved || rescales);
      ["factor", "share"].forEach((kind) => {
        const path = pathOf(kind);
        const value = path.values[kind === last ? now.stop : path.start];
        $(`${kind}-shown`).textContent = shownAs(kind, value);
        $(kind).setAttribute("aria-valuetext", kind === "factor" ? `${three(value)} times` : rate(value));
        const key = `${kind}-${path.row}`;
        if (!$(`chart-${key}`)) return;
        const there = kind === last || !now.moved;
        upright(key, there ? abscissa(path, value) : NaN);
        const { top } = ceiling(key);
        names.forEach((_, n) => place(key, n, there && now.nec[n] <= top ? abscissa(path, value) : NaN, now.nec[n]));
      });
      const nec = now.moved ? now.nec : stated.map((model) => model.nec);
      const best = fill(nec, now.naive * scale, now.decision, now.moved);
      if (now.moved) announce(unsure(nec, now.naive * scale, now.decision, ""));
      else announce(rescales ? rescaled(scale) : statedVerdict);
      if (payer === null && $("payer")) $("payer").value = String(best);
      pay(now);
    };
    const slid = (kind) => { // one slider at a time
      const other = kind === "factor" ? "share" : "factor";
      $(other).value = String(pathOf(other).start);
      last = kind;
      show();
    };
    const chosen = () => {
      document.querySelectorAll(".moved-class").forEach((part) => { part.textContent = `“${app.classes[row()]}”`; });
      paths.forEach(({ kind, row: of }) => {
        if ($(`figure-${kind}-${of}`)) $(`figure-${kind}-${of}`).hidden = of !== row();
      });
      $(last).value = String(pathOf(last).start);
      slid(last);
    };
    ["factor", "share"].forEach((kind) => listen(kind, "input", () => slid(kind)));
    ["volume", "scale"].forEach((id) => listen(id, "input", show));
    listen("payer", "change", () => { payer = Number($("payer").value); show(); });
    if (rows.length > 1) listen("class", "change", chosen);
    paths.forEach((path) => {
      const key = `${path.kind}-${path.row}`;
      const near = (x) => least(Array.from(path.values, (v) => Math.abs(abscissa(path, v) - x)));
      const said = (value) => (path.kind === "factor" ? `errors about “${app.classes[path.row]}” at ${three(value)} times`
        : `${rate(value)} “${app.classes[path.row]}”`);
      reader(key, (x) => {
        const { nec, value } = compute(path, near(x));
        return `${said(value)}: ${list((name, n) => `${name} ${nec[n].toFixed(3)}`)}`;
      });
      clicked(key, (x) => { $(path.kind).value = String(near(x)); slid(path.kind); });
    });
    show();
  };
