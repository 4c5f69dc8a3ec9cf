"""A page with everything that makes pages too wide: a table, an address, a long word, code, another script."""

LONG_PAGE = """
<p>The house is open to members at all hours; this page says what to mind. It was last gone over by the house
committee, and where it is silent the <a href="https://harbour.example/house/rules">house rules</a> hold.</p>
<h2>Evenings</h2>
<p>Guests may come until <strong>ten in the evening</strong>. Tell the front desk their names beforehand, so that the
door opens for them.</p>
<ul><li>One member brings at most three guests.</li><li>Children count, <em>dogs do not</em>.
<ul><li>Dogs stay off the sofas.</li></ul></li></ul>
<h3>Prices</h3>
<table><thead><tr><th>Room</th><th>Seats</th><th>Half a day, members of the community</th><th>A whole day</th>
<th>What is in the room</th></tr></thead><tbody>
<tr><td>Lantern</td><td align="right">8</td><td align="right">40 €</td><td align="right">70 €</td>
<td>Screen, board, a window to the quay</td></tr>
<tr><td>Captain's bridge</td><td align="right">24</td><td align="right">110 €</td><td align="right">190 €</td>
<td>Two screens, hearing loop, kitchenette</td></tr></tbody></table>
<h2>Signing in from afar</h2>
<ol><li>Open <code>https://desk.harbour.example/sign-in?community=harbour-works&amp;return_to=%2Froom%2Flantern%2F2026</code>.</li>
<li>Enter the code you were sent.</li></ol>
<pre><code>curl --header "Accept: application/json" https://desk.harbour.example/api/rooms/lantern/bookings?from=2026-03-31</code></pre>
<blockquote><p>Whoever leaves last turns off the light, and the heating as well.</p></blockquote>
<h4>In other words</h4>
<p>Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft ·
ご案内はこちらをご覧ください</p><p>مرحبا بكم في المجتمع</p>
<dl><dt>Quiet room</dt><dd>No calls, no keyboards.</dd></dl>
<hr><p><small>Questions go to the front desk.</small></p>
"""
