
  // ---- how often a decision may be taken, at the stated costs and shares
  const limited = () => {
    const { decision, start, models, unguided, per, option } = page.capacity;
    const [stops, naive] = [page.capacity.stops, page.capacity.naive].map(unpack);
    const [used, cost, price] = ["used", "cost", "price"].map((what) => page.capacity[what].map(unpack));
    const number = (x) => (Number.isInteger(x) ? grouped(x) : plain(x, 4));
    const each_ = per.startsWith("times per ") ? ` ${per.slice(6)}` : "";
    const over = (saving) => {
      if (app.volume === null) return `${money(saving, app.unit)} per case`;
      const sum = money(saving * app.volume, app.unit);
      return app.period ? `${sum} a ${app.period}` : `${sum} on ${grouped(app.volume)} cases`;
    };
    const said = (at) => {
      const m = least(cost.map((values) => values[at]));
      const saving = naive[at] - cost[m][at];
      const gain = saving < 0 ? `, which is ${over(-saving)} more than` : ` and saves ${over(saving)} against`;
      const more = price[m][at] > 0 ? `One more${each_} would save ${money(price[m][at], app.unit)}.`
        : "More would save nothing.";
      return `“${decision}” at most ${number(stops[at])} ${per}: ${quotedName(names[models[m]])} costs ` +
        `${money(cost[m][at], app.unit)} per case${gain} ${unguided[at]}. ${more}`;
    };
    const show = () => {
      const at = Number($("capacity").value);
      written("capacity", precise(stops[at]), `${number(stops[at])} ${per}`);
      models.forEach((k, m) => {
        const saving = (naive[at] - cost[m][at]) * (app.volume === null ? 1 : app.volume);
        put(`capacity-used-${k}`, `${grouped(Math.round(used[m][at] * 100) / 100)} cases`, used[m][at]);
        put(`capacity-cost-${k}`, plain(cost[m][at], 4), cost[m][at]);
        put(`capacity-saves-${k}`, money(saving, null), saving);
        put(`capacity-price-${k}`, money(price[m][at], null), price[m][at]);
      });
      $("capacity-said").textContent = said(at);
      marked();
    };
    limitOption = () => {
      const at = Number($("capacity").value);
      return at === start ? "" : `${option[0]}${precise(stops[at])}${option[1]}`;
    };
    const others = redraw;
    redraw = () => { others(); show(); };
    control("capacity", { at: (stop) => stops[stop], scale: (v) => (v < 0 ? NaN : v), act: show });
    show();
  };
