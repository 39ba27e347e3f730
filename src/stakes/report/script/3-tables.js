  // ---- the table of the models, cheapest first
  const order = (costs, best) => {
    const body = $("models");
    const rows = names.map((_, k) => $(`nec-${k}`).parentNode);
    const sorted = rows.map((row, k) => [costs[k], k, row]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const naive = $("naive").parentNode;
    sorted.forEach(([, k, row]) => {
      row.className = k === best ? "best" : "";
      body.insertBefore(row, naive);
    });
  };
  const savings = (naive, nec) => {
    const saved = names.map((_, k) => (nec[k] === null ? 0 : naive * (1 - nec[k])));
    const cases = volume();
    const texts = cases === null ? aligned(saved, 4) : saved.map((each_) => short(each_ * cases));
    saved.forEach((each_, k) => ["saving", "total_saving"].forEach((name) =>
      put(`${name}-${k}`, texts[k], each_ * (cases || 1))));
  };
  // ---- columns that are known at the stated place only
  const KEPT = page.kept;
  const kept = KEPT.map((name) => names.map((_, n) => {
    const cell = $(`${name}-${n}`);
    return cell && [cell.textContent, cell.dataset.value];
  }));
  const known = (there) => KEPT.forEach((name, at) => names.forEach((_, n) => {
    if (!kept[at][n]) return;
    if (there) put(`${name}-${n}`, ...kept[at][n]);
    else put(`${name}-${n}`, "", null);
  }));
  const fill = (nec, naive, decision, moved) => {
    names.forEach((_, n) => put(`nec-${n}`, necText(nec[n]), nec[n]));
    known(!moved);
    savings(naive, nec);
    $("naive").textContent = `always decide “${decision}”`;
    const best = least(nec);
    order(nec, best);
    return best;
  };
  const leave = (moved) => {
    document.querySelectorAll(".stated").forEach((p) => { p.hidden = moved; });
    document.querySelectorAll(".unstated").forEach((p) => { p.hidden = !moved; });
  };

  // ---- where the cost comes from
  const priced = (costs, priors, counts) => counts.map((row, i) => {
    const all = total(row) || 1;
    return row.map((n, j) => priors[i] * (n / all) * costs[i][j]);
  });
  const payers = (priors, counts, paid) => {
    const gross = total(paid.flat().map(Math.abs)) || 1;
    counts.forEach((row, i) => {
      const all = total(row) || 1;
      row.forEach((n, j) => {
        const cell = $(`cell-${i}-${j}`);
        if (!cell) return;
        const share = Math.abs(paid[i][j]) / gross;
        const cases = (1000 * priors[i] * n) / all;
        cell.className = `share-${[0.005, 0.1, 0.25, 0.5].filter((edge) => share >= edge).length}`;
        cell.dataset.value = String(cases);
        cell.querySelector(".count").textContent = outOf(cases);
        cell.querySelector(".cell-cost").textContent = share < 0.005 ? "" : `${percent(share, 0)} of the cost`;
      });
    });
  };

